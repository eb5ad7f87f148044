package composite

import (
	"fmt"
	"strings"
)

// ID names the main object of a resource, as the id attribute and the import command spell it:
// [<cluster namespace>/<cluster name>:][<apiVersion>/<kind>:][<namespace>/]<name>.
type ID struct {
	ClusterNamespace, ClusterName string // hosted cluster; empty for the management cluster
	APIVersion, Kind              string // only for resources that stand for objects of any kind
	Namespace, Name               string
}

func (id ID) String() string {
	var b strings.Builder
	if id.ClusterName != "" {
		fmt.Fprintf(&b, "%s/%s:", id.ClusterNamespace, id.ClusterName)
	}
	if id.Kind != "" {
		fmt.Fprintf(&b, "%s/%s:", id.APIVersion, id.Kind)
	}
	if id.Namespace != "" {
		b.WriteString(id.Namespace + "/")
	}
	b.WriteString(id.Name)
	return b.String()
}

// group is the API group of the kind, where the id names one.
func (id ID) group() string {
	group, _, grouped := strings.Cut(id.APIVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// same tells whether two ids name one object. Another version of the same API group is another view of the same object.
func (id ID) same(other ID) bool {
	sameGroup := id.group() == other.group()
	id.APIVersion, other.APIVersion = "", ""
	return sameGroup && id == other
}

// ParseID reads an import id. anyKind says that the resource stands for objects of any kind, so that the id has to name
// apiVersion and kind. A name may itself hold colons (RBAC names do): they are cut from the left, only as far as parts
// are expected.
func ParseID(s string, anyKind bool) (ID, error) {
	var id ID
	rest := s
	if anyKind {
		parts := strings.SplitN(rest, ":", 3)
		switch {
		case len(parts) >= 2 && isKind(parts[0]):
			id.APIVersion, id.Kind = cutKind(parts[0])
			rest = rest[len(parts[0])+1:]
		case len(parts) == 3 && isKind(parts[1]) && strings.Count(parts[0], "/") == 1:
			id.ClusterNamespace, id.ClusterName, _ = strings.Cut(parts[0], "/")
			id.APIVersion, id.Kind = cutKind(parts[1])
			rest = parts[2]
		default:
			return ID{}, idError(s, anyKind)
		}
	} else if cluster, after, found := strings.Cut(rest, ":"); found && strings.Count(cluster, "/") == 1 {
		id.ClusterNamespace, id.ClusterName, _ = strings.Cut(cluster, "/")
		rest = after
	}
	if namespace, name, found := strings.Cut(rest, "/"); found {
		id.Namespace, id.Name = namespace, name
	} else {
		id.Name = rest
	}
	if id.Name == "" || strings.Contains(id.Name, "/") || (id.ClusterName == "") != (id.ClusterNamespace == "") || id.String() != s { // an empty part is written and means nothing
		return ID{}, idError(s, anyKind)
	}
	return id, nil
}

// isKind tells "v1/Secret" and "apps/v1/Deployment" from a cluster or an object: a kind starts with a capital letter.
func isKind(s string) bool {
	at := strings.LastIndex(s, "/")
	return at > 0 && at+1 < len(s) && s[at+1] >= 'A' && s[at+1] <= 'Z'
}

func cutKind(s string) (apiVersion, kind string) {
	at := strings.LastIndex(s, "/")
	return s[:at], s[at+1:]
}

func idError(s string, anyKind bool) error {
	form, example := "[<cluster namespace>/<cluster name>:][<namespace>/]<name>", "train/train"
	if anyKind {
		form, example = "[<cluster namespace>/<cluster name>:]<apiVersion>/<kind>:[<namespace>/]<name>", "train/train:scheduling.run.ai/v2/Queue:vision"
	}
	return fmt.Errorf("the import id %q is not of the form %s, for example %s", s, form, example)
}
