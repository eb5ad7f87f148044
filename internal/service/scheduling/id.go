package scheduling

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// ID names a department or queue: [<cluster namespace>/<cluster name>:]<engine>/<name>. It is empty until all of it is known.
func ID(cluster tf.Object[composite.ClusterRef], engine, name types.String) composite.ID {
	c, _ := cluster.Get()
	if cluster.IsUnknown() || c.Name.IsUnknown() || c.Namespace.IsUnknown() || engine.IsUnknown() || name.IsUnknown() {
		return composite.ID{}
	}
	return composite.ID{ClusterNamespace: c.Namespace.ValueString(), ClusterName: c.Name.ValueString(), Namespace: engine.ValueString(), Name: name.ValueString()}
}

// SetID is the inverse of ID, at import.
func SetID(noun string, id composite.ID, cluster *tf.Object[composite.ClusterRef], engine, name *types.String) error {
	if id.Namespace != EngineKAI && id.Namespace != EngineKueue {
		return fmt.Errorf("a %s is named by its cluster, its engine and its name, for example train/train:kai/research, and %q has no engine, which is kai or kueue", noun, id)
	}
	if id.ClusterName == "" {
		return fmt.Errorf("a %s is in a hosted cluster, so the import id begins with its namespace and name, for example train/train:kai/research, and %q has none", noun, id)
	}
	*cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue(id.ClusterName), Namespace: types.StringValue(id.ClusterNamespace), UID: types.StringNull()})
	*engine, *name = types.StringValue(id.Namespace), types.StringValue(id.Name)
	return nil
}

// Replace lists what only a new department or queue can follow: neither engine can rename a queue.
func Replace(engine, nowEngine, name, nowName types.String) []path.Path {
	var out []path.Path
	if !nowEngine.IsUnknown() && !engine.Equal(nowEngine) {
		out = append(out, path.Root("engine"))
	}
	if !nowName.IsUnknown() && !name.Equal(nowName) {
		out = append(out, path.Root("name"))
	}
	return out
}
