package standin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// cloudConfigHead begins every bootstrap Secret.
const cloudConfigHead = "## template: jinja\n#cloud-config\n"

// bootstrapData is what a bootstrap Secret says: files to write, then commands to run.
type bootstrapData struct {
	Files    []bootstrapFile `json:"write_files"`
	Commands []string        `json:"runcmd"`
}

type bootstrapFile struct {
	Path        string `json:"path"`
	Content     string `json:"content"`
	Permissions string `json:"permissions"`
}

// cloudConfig makes the content of a bootstrap Secret as the operator does for Linux.
func (s *StandIn) cloudConfig(ctx context.Context, config, owner *unstructured.Unstructured) ([]byte, error) {
	data := bootstrapData{Files: []bootstrapFile{{Path: "/etc/k0s.token", Permissions: "0600", Content: "a join token"}}}
	files, _ := lookup[[]any](config.Object, "spec", "files")
	for _, entry := range files {
		file, _ := entry.(map[string]any)
		content, err := s.fileContent(ctx, config.GetNamespace(), file)
		if err != nil {
			return nil, err
		}
		data.Files = append(data.Files, bootstrapFile{text(file, "path"), content, text(file, "permissions")})
	}
	data.Commands = slices.Concat(
		texts(config.Object, "spec", "preK0sCommands"),
		downloadCommands(config, owner),
		[]string{installCommand(config, owner), "systemctl start k0sworker"},
		texts(config.Object, "spec", "postK0sCommands"),
		[]string{"mkdir -p /run/cluster-api && touch /run/cluster-api/bootstrap-success.complete"},
	)
	content, err := yaml.Marshal(data)
	return append([]byte(cloudConfigHead), content...), err
}

func readCloudConfig(content []byte) (bootstrapData, error) {
	var data bootstrapData
	err := yaml.Unmarshal(content, &data)
	return data, err
}

// versionVariable is what the script that downloads k0s reads.
const versionVariable = "K0S_VERSION="

func downloadCommands(config, owner *unstructured.Unstructured) []string {
	if installed, _ := lookup[bool](config.Object, "spec", "preInstalledK0s"); installed {
		return nil
	}
	folder := installFolder(config)
	if url := text(config.Object, "spec", "downloadURL"); url != "" {
		return []string{fmt.Sprintf("curl -sSfL --retry 5 %s -o %s/k0s", url, folder), "chmod +x " + folder + "/k0s"}
	}
	version := text(config.Object, "spec", "version")
	if version == "" {
		version = text(owner.Object, "spec", "version")
	}
	version = strings.Replace(version, "-k0s.", "+k0s.", 1)
	if !strings.Contains(version, "+k0s.") {
		version += "+k0s.0"
	}
	return []string{fmt.Sprintf("curl -sSfL --retry 5 https://get.k0s.sh | K0S_INSTALL_PATH=%s %s%s sh", folder, versionVariable, version)}
}

func installFolder(config *unstructured.Unstructured) string {
	if folder := text(config.Object, "spec", "k0sInstallDir"); folder != "" {
		return folder
	}
	return "/usr/local/bin"
}

// installCommand joins the arguments into a line for the shell, as they are: who wrote them had to quote them.
func installCommand(config, owner *unstructured.Unstructured) string {
	line := []string{installFolder(config) + "/k0s install worker --token-file /etc/k0s.token", "--labels=" + machineNameLabel + "=" + owner.GetName()}
	var kubelet []string
	if system, _ := lookup[bool](config.Object, "spec", "useSystemHostname"); !system {
		kubelet = append(kubelet, "--hostname-override="+owner.GetName())
	}
	for _, arg := range texts(config.Object, "spec", "args") {
		value, isKubelet := strings.CutPrefix(arg, "--kubelet-extra-args")
		if isKubelet && value != "" {
			kubelet = append(kubelet, strings.Trim(value[1:], `"'`))
		} else {
			line = append(line, arg)
		}
	}
	if len(kubelet) > 0 {
		line = append(line, fmt.Sprintf(`--kubelet-extra-args="%s"`, strings.Join(kubelet, " ")))
	}
	return strings.Join(line, " ")
}

// texts reads a list of strings.
func texts(obj map[string]any, path ...string) []string {
	list, _, _ := unstructured.NestedStringSlice(obj, path...)
	return list
}
