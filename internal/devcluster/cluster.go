package devcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/kubeapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

// What lies where in a cluster's folder. None of these outlives the cluster.
const (
	managementDir = "management"
	clusterAPIDir = "cluster-api"
	hostedDir     = "hosted"
)

// Options of a cluster. The zero value is the whole of it, with our own CRDs, in a temporary folder.
type Options struct {
	// Dir is for all files; "" is a temporary folder that Stop removes.
	Dir string
	// StandIn says how the stand-in plays. Its launcher is ours unless one is given.
	StandIn standin.Options
	// CRDs is a folder of upstream CRDs (as K0SMOS_CRDS names it); "" takes those that this repository ships.
	CRDs string
	// Also names folders below CRDs to install besides k0smotron's, such as kai.
	Also []string
	// WithoutClusterAPI leaves out Cluster API's manager and the stand-in; their CRDs are there without webhooks.
	WithoutClusterAPI bool
	// WithoutStandIn leaves out the stand-in alone.
	WithoutStandIn bool
	// Log gets a line per step; nil is silence.
	Log io.Writer
}

// Cluster is a running management cluster.
type Cluster struct {
	opts      Options
	paths     Paths
	temporary bool
	died      chan struct{}
	stopped   chan struct{}

	api     *kubeapi.Server
	manager *process.Process
	standIn *standin.StandIn

	once     sync.Once
	stopOnce sync.Once
	stopErr  error
	err      error
}

// Start runs a management cluster and returns when all of it answers. It lives until Stop, not until ctx ends.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	c := &Cluster{opts: o, died: make(chan struct{}), stopped: make(chan struct{})}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	var err error
	if c.paths, err = Binaries(ctx, c.opts.Log); err != nil {
		return err
	}
	if err := c.prepareDir(); err != nil {
		return err
	}
	c.say("Starting the API server.")
	c.api, err = kubeapi.Start(ctx, kubeapi.Options{Dir: c.dir(managementDir), Binary: c.paths.APIServer})
	if err != nil {
		return err
	}
	go c.watch(c.api.Died(), c.api.Err)

	c.say("Installing definitions.")
	if err := c.installProviderCRDs(ctx); err != nil {
		return err
	}
	if c.opts.WithoutClusterAPI {
		return c.installClusterAPICRDs(ctx, nil)
	}
	c.say("Starting Cluster API.")
	if err := c.startClusterAPI(ctx); err != nil {
		return err
	}
	go c.watch(c.manager.Done(), c.manager.Err)
	if c.opts.WithoutStandIn {
		return nil
	}
	c.say("Starting the stand-in of k0smotron.")
	if c.opts.StandIn.Launch == nil {
		c.opts.StandIn.Launch = c.launchHosted
	}
	c.opts.StandIn.ConnectAtOnce = c.opts.StandIn.ConnectAtOnce || c.opts.StandIn.TimeScale == 0
	if c.standIn, err = standin.Start(context.WithoutCancel(ctx), c.RESTConfig(), c.opts.StandIn); err != nil {
		return fmt.Errorf("stand-in of k0smotron: %w", err)
	}
	return nil
}

func (c *Cluster) prepareDir() (err error) {
	if c.opts.Dir == "" {
		c.temporary = true
		c.opts.Dir, err = os.MkdirTemp("", "k0smos-devcluster-")
		return err
	}
	if c.opts.Dir, err = filepath.Abs(c.opts.Dir); err != nil {
		return err
	}
	// Of an earlier cluster nothing fits: it had other certificates.
	if err := c.removeData(); err != nil {
		return err
	}
	return os.MkdirAll(c.opts.Dir, 0o700)
}

func (c *Cluster) removeData() error {
	var errs []error
	for _, name := range []string{managementDir, clusterAPIDir, hostedDir} {
		errs = append(errs, os.RemoveAll(c.dir(name)))
	}
	return errors.Join(errs...)
}

// watch notes the first part that ends without having been told to.
func (c *Cluster) watch(done <-chan struct{}, why func() error) {
	select {
	case <-c.stopped:
	case <-done:
		if err := why(); err != nil {
			c.once.Do(func() { c.err = err; close(c.died) })
		}
	}
}

// Stop ends all that was started and returns when it is gone. A temporary folder is removed, another one is left with
// its logs. Stopping twice does nothing.
func (c *Cluster) Stop() error {
	c.stopOnce.Do(func() {
		close(c.stopped)
		var errs []error
		if c.standIn != nil {
			errs = append(errs, c.standIn.Stop())
		}
		// What they hold goes with them, so there is nothing to wait for that a kill would lose.
		if c.manager != nil {
			errs = append(errs, c.manager.Kill())
		}
		if c.api != nil {
			errs = append(errs, c.api.Kill())
		}
		if c.temporary {
			errs = append(errs, os.RemoveAll(c.opts.Dir))
		}
		c.stopErr = errors.Join(errs...)
	})
	return c.stopErr
}

// Died is closed when a part of the cluster ends by itself; Err then says which and why.
func (c *Cluster) Died() <-chan struct{} { return c.died }

// Err says which part ended by itself and why.
func (c *Cluster) Err() error {
	select {
	case <-c.died:
		return c.err
	default:
		return nil
	}
}

// APIServer is the management cluster's API server, to kill or restart it and to make other users' access to it.
func (c *Cluster) APIServer() *APIServer { return c.api }

// Kubeconfig is the path of the administrator's kubeconfig, which only the user can read.
func (c *Cluster) Kubeconfig() string { return c.api.Kubeconfig() }

// RESTConfig is the administrator's access.
func (c *Cluster) RESTConfig() *rest.Config { return c.api.RESTConfig() }

// StandIn is the stand-in of k0smotron, to switch its modes.
func (c *Cluster) StandIn() *standin.StandIn { return c.standIn }

// RestartAPIServer stops the API server, starts it again with its data and address, and waits until it is ready.
func (c *Cluster) RestartAPIServer(ctx context.Context) error { return c.api.Restart(ctx) }

// KillAPIServer ends the API server as a crash would. RestartAPIServer brings it back.
func (c *Cluster) KillAPIServer() error { return c.api.Kill() }

func (c *Cluster) dir(parts ...string) string {
	return filepath.Join(append([]string{c.opts.Dir}, parts...)...)
}

func (c *Cluster) say(what string) { fmt.Fprintln(c.opts.Log, what) }
