package kube

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Pin is what tells one cluster from another behind the same address.
type Pin struct {
	Management string `json:"management"`        // UID of kube-system in the management cluster
	Cluster    string `json:"cluster,omitempty"` // UID of the Cluster API Cluster
	Hosted     string `json:"hosted,omitempty"`  // UID of kube-system in the hosted cluster
}

// pins are the parts of a Pin that one cluster can say.
type pins struct {
	self  *lazy[string] // UID of its own kube-system
	owner *lazy[string] // hosted clusters: UID of the Cluster API Cluster
}

func newPins() *pins { return &pins{self: newLazy[string](), owner: newLazy[string]()} }

// Pin is who the cluster is. Each part is asked for once, and again after the cluster could not be reached.
func (c *Cluster) Pin(ctx context.Context) (Pin, error) {
	management, err := c.pool.management.self(ctx)
	if err != nil || c.ref == nil {
		return Pin{Management: management}, err
	}
	owner, err := c.owner(ctx)
	if err != nil && !is(err, ReasonNotFound, ReasonNoKind) {
		return Pin{}, err
	}
	hosted, err := c.self(ctx)
	if err != nil {
		return Pin{}, err
	}
	return Pin{Management: management, Cluster: owner, Hosted: hosted}, nil
}

// VerifyPin is nil if this is the cluster that want was taken from; empty parts of want match anything. ReasonHostedGone
// means that the management cluster, being the right one, says that the hosted cluster is gone or was made anew: what was
// in it is gone, too. ReasonWrongCluster means that another cluster answers: nothing can be said about the objects.
func (c *Cluster) VerifyPin(ctx context.Context, want Pin) error {
	if want.Management != "" {
		management := c.pool.management
		got, err := management.self(ctx)
		if err != nil {
			return err
		}
		if got != want.Management {
			return management.wrong(want.Management, got)
		}
	}
	if c.ref == nil {
		return nil
	}
	if want.Cluster != "" {
		got, err := c.owner(ctx)
		if err != nil && !is(err, ReasonNotFound) {
			return err
		}
		if got != want.Cluster {
			return c.gone(want, got)
		}
	}
	if want.Hosted != "" {
		got, err := c.self(ctx)
		if err != nil {
			return err
		}
		if got != want.Hosted {
			return c.wrong(want.Hosted, got)
		}
	}
	return nil
}

func (c *Cluster) wrong(want, got string) error {
	return &Error{Reason: ReasonWrongCluster, Cluster: c.Describe(), Message: fmt.Sprintf("this is not the cluster that the state was made in: its kube-system namespace "+
		"has UID %s, the state says %s. Nothing was read or changed. Point the provider at the right cluster; if this one replaces it for good, "+
		"remove the resource from the state and import it", got, want)}
}

// gone words that the Cluster API Cluster is not the pinned one. It proves that only if the management cluster is pinned.
func (c *Cluster) gone(want Pin, got string) error {
	e := &Error{Reason: ReasonHostedGone, Cluster: c.Describe()}
	e.Message = fmt.Sprintf("its Cluster %s does not exist any more in the %s, so what was in it is gone as well", c.ref, c.pool.management.Describe())
	if got != "" {
		e.Message = fmt.Sprintf("its Cluster %s was made anew (UID %s, the state says %s), so what was in the old one is gone", c.ref, got, want.Cluster)
	}
	if want.Management == "" {
		e.Reason = ReasonWrongCluster
		e.Message += ", unless another management cluster was meant: the state does not say which one"
	}
	return e
}

// self is the UID of the cluster's own kube-system namespace.
func (c *Cluster) self(ctx context.Context) (string, error) {
	return c.pins.Load().self.get(ctx, func(ctx context.Context) (string, error) {
		key := Key{Kind: Kind{Version: "v1", Kind: "Namespace", Resource: "namespaces"}, Name: "kube-system"}
		live, err := c.get(ctx, key, metadataOnly)
		if err != nil {
			return "", err
		}
		return c.uid(live, key.String())
	})
}

// owner is the UID of the Cluster API Cluster. That there is none (ReasonNotFound), or no Cluster API (ReasonNoKind), is not
// remembered: either may come in the same run. Only the first of them says that a cluster is gone.
func (c *Cluster) owner(ctx context.Context) (string, error) {
	return c.pins.Load().owner.get(ctx, func(ctx context.Context) (string, error) {
		const group = "cluster.x-k8s.io"
		management := c.pool.management
		versions, err := management.GroupVersions(ctx, group)
		if err != nil {
			return "", err
		}
		if len(versions) == 0 {
			return "", management.place(&Error{Reason: ReasonNoKind, Message: "Cluster API (" + group + ") is not served, so nothing can be said about the hosted cluster " +
				c.ref.String() + ". Install it again, or look at its CRDs"})
		}
		key := Key{Kind: Kind{Group: group, Version: versions[0], Kind: "Cluster", Resource: "clusters", Namespaced: true}, Namespace: c.ref.Namespace, Name: c.ref.Name}
		live, err := management.get(ctx, key, metadataOnly)
		if err != nil {
			return "", err
		}
		return management.uid(live, key.String())
	})
}

func (c *Cluster) uid(live *unstructured.Unstructured, object string) (string, error) {
	if uid := string(live.GetUID()); uid != "" {
		return uid, nil
	}
	return "", c.garbled(object)
}
