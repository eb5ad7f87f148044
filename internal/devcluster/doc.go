// Package devcluster runs the embedded management cluster of demos and tests: a real kube-apiserver with etcd, the real
// Cluster API manager with its webhooks, and a stand-in for the operators that cannot be had as Go modules. All of it
// is on loopback, and none of it is part of the provider.
package devcluster
