// Package kubeapi runs one real kube-apiserver, with its etcd inside, on loopback. Management clusters and hosted
// clusters of demos and tests are such servers: there are no nodes behind them.
package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/binaries"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
)

const (
	// startTimeout is far more than the about 5 s that a start takes, for machines that do much else.
	startTimeout = 2 * time.Minute
	stopGrace    = 5 * time.Second
	portAttempts = 5
)

// Options of one API server. Only Dir is needed.
type Options struct {
	Dir        string  // for data, certificates and log; made if missing, private to the user
	Binary     string  // the program; "" looks into the cache and builds it if it must
	Name       string  // in messages and as name of the log; "" is apiserver
	CA         *pki.CA // signs all certificates of the cluster; nil makes one
	SigningKey []byte  // private key of service account tokens, PEM; nil makes one
	Hosts      []string
	Port       int // on 127.0.0.1; 0 takes a free one
}

// Server is a running API server.
type Server struct {
	opts Options
	died chan struct{}

	mu      sync.Mutex
	process *process.Process
	err     error
}

// Start runs an API server and returns when it is ready: it answers, and its system namespaces are there.
func Start(ctx context.Context, o Options) (*Server, error) {
	var err error
	if o.Dir == "" {
		return nil, errors.New("API server: no folder was given")
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = "apiserver"
	}
	if o.Binary == "" {
		paths, err := binaries.Find(ctx, nil)
		if err != nil {
			return nil, err
		}
		o.Binary = paths.APIServer
	}
	if o.CA == nil {
		if o.CA, err = pki.NewCA("kubernetes-ca"); err != nil {
			return nil, err
		}
	}
	if o.SigningKey == nil {
		if o.SigningKey, _, err = pki.SigningKey(); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Join(o.Dir, etcdDir), 0o700); err != nil {
		return nil, err
	}
	s := &Server{opts: o, died: make(chan struct{})}
	if err := s.writeCertificates(); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		if o.Port == 0 {
			if s.opts.Port, err = FreePort(); err != nil {
				return nil, err
			}
		}
		err := s.Restart(ctx)
		if err == nil {
			return s, nil
		}
		// Between our look at the port and the server's, another program may have taken it.
		if o.Port != 0 || attempt == portAttempts || !strings.Contains(err.Error(), "address already in use") {
			return nil, err
		}
	}
}

// Restart starts the server again with the data, address and certificates that it had, and waits until it is ready.
// A server that still runs is stopped first.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.Stop(); err != nil {
		return err
	}
	if err := s.writeKubeconfig(); err != nil {
		return err
	}
	if err := s.removeSockets(); err != nil {
		return err
	}
	running, err := process.Start(process.Spec{
		Name: s.opts.Name, Dir: s.opts.Dir, Path: s.opts.Binary, Args: s.arguments(), Env: s.environment(),
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.process = running
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	probe, err := s.newProbe()
	if err == nil {
		err = running.Wait(ctx, probe)
	}
	if err != nil {
		return errors.Join(err, running.Kill())
	}
	go s.watch(running)
	return nil
}

// watch notes when a server that was ready ends without having been told to.
func (s *Server) watch(p *process.Process) {
	<-p.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := p.Err(); err != nil && s.err == nil {
		s.err = err
		close(s.died)
	}
}

// Stop ends the server and frees its port. Data stays where it is, for Restart.
func (s *Server) Stop() error {
	if p := s.current(); p != nil {
		return p.Stop(stopGrace)
	}
	return nil
}

// Kill ends the server at once, as a crash would.
func (s *Server) Kill() error {
	if p := s.current(); p != nil {
		return p.Kill()
	}
	return nil
}

func (s *Server) current() *process.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Died is closed when the server ends by itself; Err then says why.
func (s *Server) Died() <-chan struct{} { return s.died }

// Err says why the server ended, if it ended by itself.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// PID is the id of the running process.
func (s *Server) PID() int { return s.current().PID() }

// Dir is where the server keeps its files.
func (s *Server) Dir() string { return s.opts.Dir }

// Port is where the server listens on 127.0.0.1.
func (s *Server) Port() int { return s.opts.Port }

// Endpoint is the URL of the server.
func (s *Server) Endpoint() string { return "https://127.0.0.1:" + strconv.Itoa(s.opts.Port) }

// CA signs what the server and its clients present.
func (s *Server) CA() *pki.CA { return s.opts.CA }

// SigningKey is the private key of service account tokens, PEM encoded.
func (s *Server) SigningKey() []byte { return s.opts.SigningKey }

// Kubeconfig is the path of the administrator's kubeconfig, which only the user can read.
func (s *Server) Kubeconfig() string { return filepath.Join(s.opts.Dir, kubeconfigFile) }

// RESTConfig is the administrator's access, without a limit on requests.
func (s *Server) RESTConfig() *rest.Config {
	config, err := s.RESTConfigFor("admin", "system:masters")
	if err != nil {
		panic(fmt.Sprintf("issue a client certificate: %v", err)) // only if the machine has no randomness
	}
	return config
}
