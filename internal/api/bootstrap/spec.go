package bootstrap

// K0sWorkerConfigSpec is how a host becomes a worker.
type K0sWorkerConfigSpec struct {
	// What interprets the commands. Hosts reached by SSH need cloud-config, the default.
	Provisioner *Provisioner `json:"provisioner,omitempty"`
	// Version of k0s, with the suffix +k0s.N.
	Version string `json:"version,omitempty"`
	// Folder of the k0s binary.
	// +kubebuilder:default="/usr/local/bin"
	K0sInstallDir string `json:"k0sInstallDir,omitempty"`
	// Whether nodes are named by their host instead of by their Machine.
	// +kubebuilder:default=false
	UseSystemHostname *bool `json:"useSystemHostname,omitempty"`
	// Files that are written before anything runs.
	Files []File `json:"files,omitempty"`
	// Flags of k0s worker. They are joined into a shell line as they are: quote values.
	Args []string `json:"args,omitempty"`
	// Commands before k0s is downloaded and installed.
	PreK0sCommands []string `json:"preK0sCommands,omitempty"`
	// Commands after k0s has started.
	PostK0sCommands []string `json:"postK0sCommands,omitempty"`
	// Whether k0s is on the host already.
	PreInstalledK0s *bool `json:"preInstalledK0s,omitempty"`
	// Where k0s is downloaded from. It wins over the version.
	DownloadURL string `json:"downloadURL,omitempty"`
	// Folder for the files of the bootstrap.
	WorkingDir string `json:"workingDir,omitempty"`
}

// Provisioner is what interprets the commands.
type Provisioner struct {
	// Format of the commands.
	// +kubebuilder:default="cloud-config"
	// +kubebuilder:validation:Enum=cloud-config;ignition;powershell;powershell-xml
	Type string `json:"type,omitempty"`
	// Operating system.
	// +kubebuilder:default="linux"
	// +kubebuilder:validation:Enum=linux;windows
	Platform string `json:"platform,omitempty"`
}

// File is a file on the host, with its content here or elsewhere, never both.
type File struct {
	// Where it is on the host.
	Path string `json:"path,omitempty"`
	// Mode in octal digits.
	Permissions string `json:"permissions,omitempty"`
	// Content, not encoded.
	Content string `json:"content,omitempty"`
	// Where the content is. It is read once, by the bootstrap.
	ContentFrom *ContentSource `json:"contentFrom,omitempty"`
}

// ContentSource names a Secret or a ConfigMap of the same namespace.
type ContentSource struct {
	// Key of a Secret.
	SecretRef *KeyRef `json:"secretRef,omitempty"`
	// Key of a ConfigMap.
	ConfigMapRef *KeyRef `json:"configMapRef,omitempty"`
}

// KeyRef names a key of an object.
type KeyRef struct {
	// Name of the object.
	Name string `json:"name"`
	// Key in it.
	Key string `json:"key"`
}
