package kube

import (
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a kind of object that is known well enough to be addressed: nothing has to be asked of the cluster first.
type Kind struct {
	Group, Version, Kind, Resource string
	Namespaced                     bool
}

// APIVersion is what stands in the apiVersion field of an object of this kind.
func (k Kind) APIVersion() string {
	return schema.GroupVersion{Group: k.Group, Version: k.Version}.String()
}

// String names the kind as messages do: Queue.scheduling.run.ai/v2.
func (k Kind) String() string {
	if k.Group == "" {
		return k.Kind + "/" + k.Version
	}
	return k.Kind + "." + k.Group + "/" + k.Version
}

// Key addresses one object.
type Key struct {
	Kind            Kind
	Namespace, Name string
}

// String names the object as messages do: Queue.scheduling.run.ai/v2 vision, or Secret/v1 geo/train-kubeconfig.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Kind.String() + " " + k.Name
	}
	return k.Kind.String() + " " + k.Namespace + "/" + k.Name
}

// path is the object's URL path, escaped. Names that would address something else (an empty name would address the whole
// collection, also for DELETE) are refused.
func (k Key) path() (string, error) {
	collection, err := k.Kind.path(k.Namespace)
	if err != nil {
		return "", named(k.String(), err)
	}
	if k.Kind.Namespaced && k.Namespace == "" {
		return "", invalidKey(k, "the kind is namespaced but no namespace is given")
	}
	if why := segmentProblem(k.Name); why != "" {
		return "", invalidKey(k, "the name "+why)
	}
	return collection + "/" + url.PathEscape(k.Name), nil
}

// path is the URL path of the collection, in one namespace or, with "", in all.
func (k Kind) path(namespace string) (string, error) {
	if k.Version == "" || k.Resource == "" {
		return "", &Error{Reason: ReasonInvalid, Object: k.String(), Message: "the API version and resource name of this kind are not known"}
	}
	path := groupVersionPath(k.Group, k.Version)
	if k.Namespaced && namespace != "" {
		if why := segmentProblem(namespace); why != "" {
			return "", &Error{Reason: ReasonInvalid, Object: k.String(), Message: "the namespace " + why}
		}
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return path + "/" + url.PathEscape(k.Resource), nil
}

func groupVersionPath(group, version string) string {
	if group == "" {
		return "/api/" + url.PathEscape(version)
	}
	return "/apis/" + url.PathEscape(group) + "/" + url.PathEscape(version)
}

// segmentProblem says why s cannot be one segment of a path, "" if it can. The API server has the same rule.
func segmentProblem(s string) string {
	switch {
	case s == "":
		return "is empty"
	case s == "." || s == "..":
		return `may not be "` + s + `"`
	case strings.ContainsAny(s, "/%"):
		return `may not contain "/" or "%"`
	}
	return ""
}

func invalidKey(k Key, why string) error {
	return &Error{Reason: ReasonInvalid, Object: k.String(), Message: why}
}
