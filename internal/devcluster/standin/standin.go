// Package standin plays the k0smotron operator (v2.1.0, v1beta2 kinds) against a real API server: it is test
// equipment for people and tests that have no k0smotron, and never part of the provider.
//
// It does what the recorded operator did, in that order: the fields it writes into specs, statuses and conditions,
// the Secrets, the derived k0smotron Cluster, the finalizers, and the rules of its admission webhook. What is Cluster
// API's work (owner references, labels, the Cluster's status, Machines and their drains) is left to Cluster API. In place
// of control plane pods a launcher that the caller gives starts a real API server.
//
// Behind the addresses of node pools there is nothing: the stand-in plays the hosts too, reads the commands that they are
// given as a shell and k0s would, makes the Nodes, and keeps account of what was done on which host.
package standin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

// Ref names a cluster (or any other namespaced object) of the management cluster.
type Ref struct{ Namespace, Name string }

// String is the usual namespace/name.
func (r Ref) String() string { return r.Namespace + "/" + r.Name }

// Hosted is a running hosted cluster.
type Hosted struct {
	// Server is the URL under which the API server answers on this machine.
	Server string
	// CA is the PEM bundle that Server's certificate is signed by.
	CA []byte
	// AdminKubeconfig is a kubeconfig of a cluster admin; context and user names do not matter.
	AdminKubeconfig []byte
	// KubeSystemUID is the UID of its namespace kube-system.
	KubeSystemUID string
	// Stop ends the API server and forgets its data.
	Stop func() error
}

// HostedLauncher starts an empty hosted cluster and returns when its API server is ready and kube-system exists. Every
// call makes a new cluster, also for a ref that was launched before. ca is the cluster's CA as its Secret holds it.
// The cluster lives until Stop, not until ctx ends: ctx bounds only the start.
type HostedLauncher func(ctx context.Context, ref Ref, ca pki.Pair) (*Hosted, error)

// Options say how the operator is played.
type Options struct {
	// Launch makes hosted clusters. Required.
	Launch HostedLauncher
	// TimeScale stretches the pauses between the steps: 1 is as slow as the recorded operator (about 40 s until a
	// control plane is available), 0 is as fast as this machine allows.
	TimeScale float64
	// Address is written into externalAddress where the real operator would ask a load balancer or a node.
	// The default is 127.0.0.1.
	Address string
	// ConnectAtOnce declares the infrastructure of a Cluster ready only when its kubeconfig is there. The real operator
	// does so at once, and Cluster API, which tries to connect then, tries again 30 s later.
	ConnectAtOnce bool
	// WithoutWebhook leaves out the admission webhook, for API servers that cannot reach this process.
	WithoutWebhook bool
	// Log receives one line per step and per error; nil is silence.
	Log io.Writer
}

// StandIn is a running operator.
type StandIn struct {
	options     Options
	client      dynamic.Interface
	queue       workqueue.TypedRateLimitingInterface[request]
	controllers []*controller
	workloads   *workloads
	fleet       *fleet
	modes       *modes
	hosts       *hosts
	admission   *admission
	stop        context.CancelFunc
	running     sync.WaitGroup
	logLock     sync.Mutex
	clientsLock sync.Mutex
	clients     map[*Hosted]dynamic.Interface
}

// Start plays the operator in the cluster behind config until ctx ends or Stop is called. The CRDs must be there.
func Start(ctx context.Context, config *rest.Config, options Options) (*StandIn, error) {
	if options.Launch == nil {
		return nil, fmt.Errorf("the stand-in of k0smotron needs a launcher of hosted clusters")
	}
	if options.Address == "" {
		options.Address = "127.0.0.1"
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.UserAgent = fieldManager
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	s := &StandIn{
		options:   options,
		client:    client,
		queue:     newQueue(),
		workloads: newWorkloads(),
		modes:     newModes(),
		hosts:     newHosts(),
		clients:   map[*Hosted]dynamic.Interface{},
		stop:      stop,
	}
	s.fleet = newFleet(options.Launch, s.logf, func(ref Ref) { s.enqueue(derivedCluster, ref) })
	s.controllers = []*controller{
		{kind: remoteCluster, reconcile: s.reconcileRemoteCluster},
		{kind: controlPlane, reconcile: s.reconcileControlPlane, wokenBy: map[kind]related{derivedCluster: controllersOf(controlPlane)}},
		{kind: derivedCluster, reconcile: s.reconcileDerived, wokenBy: map[kind]related{controlPlane: controllersOf(clusterAPICluster)}},
		{kind: workerConfig, reconcile: s.reconcileWorkerConfig},
		{kind: remoteMachine, reconcile: s.reconcileRemoteMachine, wokenBy: map[kind]related{machine: hostWanted}},
		{kind: machine, reconcile: s.reconcileNode},
	}
	if !options.WithoutWebhook {
		if s.admission, err = startAdmission(ctx, client); err != nil {
			stop()
			return nil, err
		}
	}
	if err := s.watch(ctx); err != nil {
		return nil, fmt.Errorf("%w%s", err, causeOf(s.end(context.WithoutCancel(ctx))))
	}
	return s, nil
}

// Stop ends the operator, its webhook and every hosted cluster.
func (s *StandIn) Stop() error { return s.end(context.Background()) }

func (s *StandIn) end(ctx context.Context) error {
	var errs []error
	if s.admission != nil {
		if err := unregister(ctx, s.client); err != nil {
			// Most likely the API server is gone already, and with it whom the webhook could block.
			s.logf("removing the webhook: %v", err)
		}
		errs = append(errs, s.admission.close())
	}
	s.stop()
	s.queue.ShutDown()
	s.running.Wait()
	return errors.Join(append(errs, s.fleet.stopAll())...)
}

func causeOf(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf(" (and then: %v)", err)
}

func (s *StandIn) logf(format string, args ...any) {
	if s.options.Log == nil {
		return
	}
	s.logLock.Lock()
	defer s.logLock.Unlock()
	// A log that cannot be written is no reason to stop playing.
	_, _ = fmt.Fprintf(s.options.Log, time.Now().Format("15:04:05.000")+" k0smotron stand-in: "+format+"\n", args...)
}
