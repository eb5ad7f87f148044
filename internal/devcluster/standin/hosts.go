package standin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"strconv"
	"sync"
	"time"
)

// Host is what the operator has done on one host, for tests.
type Host struct {
	// Machine is the RemoteMachine that the host was bootstrapped for; zero once it was cleaned up. The Machine and the
	// Node have the same name.
	Machine Ref
	// Bootstraps and CleanUps count what was run there, failures included.
	Bootstraps, CleanUps int
	// Key identifies the private key that the last of these used; see KeyOf.
	Key string
	// User is who the last of these logged in as.
	User string
	// Commands and Files are what the last bootstrap has run and written; Files maps a path to its content.
	Commands []string
	Files    map[string]string
	// Problem says why k0s does not run on a host that was bootstrapped; "" when it does.
	Problem string
	// Dirty says that a clean-up has failed: the host went back to its pool as it was.
	Dirty bool
}

// KeyOf identifies a private key as Host.Key does, so that a test need not compare keys themselves.
func KeyOf(privateKey string) string {
	sum := sha256.Sum256([]byte(privateKey))
	return hex.EncodeToString(sum[:])
}

// task is what a host is busy with.
type task struct {
	host  string
	step  step
	begun time.Time
}

// hosts are the hosts that stand behind the addresses of a pool. They know nothing of each other, and are there as soon
// as somebody asks for one.
type hosts struct {
	lock      sync.Mutex
	byAddress map[string]*host // by address:port
	modes     map[string]hostMode
	tasks     map[Ref]task // by RemoteMachine
}

type host struct {
	Host
	// labels, taints and version are what the kubelet was started with; joined says that it has made its Node.
	labels  map[string]string
	taints  []any
	version string
	address string
	cluster Ref
	joined  bool
}

func newHosts() *hosts {
	return &hosts{byAddress: map[string]*host{}, modes: map[string]hostMode{}, tasks: map[Ref]task{}}
}

func addressOf(address string, port int64) string {
	return net.JoinHostPort(address, strconv.FormatInt(port, 10))
}

// change changes a host under the lock, and makes it if need be.
func (h *hosts) change(address string, f func(*host)) {
	h.lock.Lock()
	defer h.lock.Unlock()
	found := h.byAddress[address]
	if found == nil {
		found = &host{}
		h.byAddress[address] = found
	}
	f(found)
}

// running is the host that was bootstrapped for a Machine, and its address.
func (h *hosts) running(machine Ref) (host, string, bool) {
	h.lock.Lock()
	defer h.lock.Unlock()
	for address, candidate := range h.byAddress {
		if candidate.Machine == machine {
			return *candidate, address, true
		}
	}
	return host{}, "", false
}

// begin notes that a host is busy for a RemoteMachine, and since when.
func (h *hosts) begin(rm Ref, address string, st step) task {
	h.lock.Lock()
	defer h.lock.Unlock()
	t, busy := h.tasks[rm]
	if !busy || t.step != st || t.host != address {
		t = task{address, st, time.Now()}
		h.tasks[rm] = t
	}
	return t
}

func (h *hosts) end(rm Ref) {
	h.lock.Lock()
	defer h.lock.Unlock()
	delete(h.tasks, rm)
}

// giveUp ends a bootstrap that runs for a RemoteMachine, and reports whether one did.
func (h *hosts) giveUp(rm Ref) bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.tasks[rm].step != bootstrapHost {
		return false
	}
	delete(h.tasks, rm)
	return true
}

// Host tells what was done on a host. The address may have a port; without one it is 22.
func (s *StandIn) Host(address string) Host {
	s.hosts.lock.Lock()
	defer s.hosts.lock.Unlock()
	if found := s.hosts.byAddress[withPort(address)]; found != nil {
		return found.copy()
	}
	return Host{}
}

// Hosts are all hosts that anything was done on, by address and port.
func (s *StandIn) Hosts() map[string]Host {
	s.hosts.lock.Lock()
	defer s.hosts.lock.Unlock()
	all := map[string]Host{}
	for address, found := range s.hosts.byAddress {
		if found.Bootstraps > 0 || found.CleanUps > 0 {
			all[address] = found.copy()
		}
	}
	return all
}

// HostOf is the address and port of the host that runs a Machine; "" if none does.
func (s *StandIn) HostOf(namespace, machine string) string {
	_, address, _ := s.hosts.running(Ref{namespace, machine})
	return address
}

func (h *host) copy() Host {
	out := h.Host
	out.Files = maps.Clone(h.Files)
	return out
}

func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return addressOf(address, 22)
}

// String is for failures of tests.
func (h Host) String() string {
	return fmt.Sprintf("machine %s, %d bootstraps, %d clean-ups", h.Machine, h.Bootstraps, h.CleanUps)
}
