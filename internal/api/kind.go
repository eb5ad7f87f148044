// Package api holds what the small copies of foreign APIs in the folders below it share. Each of these folders is one
// group and version, and has only the fields that this provider writes or reads, with the names of the original.
//
// A field that is not set never appears in the JSON: with server-side apply, a null or a zero is a claim of ownership.
package api

import (
	v1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is everything that must be known about a kind to address its objects, so that no cluster has to be asked.
type Kind struct {
	Group      string
	Version    string
	Kind       string
	Resource   string // Plural name, as in the path of a request.
	Namespaced bool
}

// APIVersion is what objects of the kind have in their field of that name: the core group has no name of its own.
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// TypeMeta is the head of an object of the kind.
func (k Kind) TypeMeta() v1.TypeMeta {
	return v1.TypeMeta{APIVersion: k.APIVersion(), Kind: k.Kind}
}
