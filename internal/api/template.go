package api

// TemplateMetadata is what objects made from a template of k0smotron's get as metadata.
type TemplateMetadata struct {
	// Labels of every object made from the template.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of every object made from the template.
	Annotations map[string]string `json:"annotations,omitempty"`
}
