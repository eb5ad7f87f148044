package standin

import "time"

// hostMode is what a test asks of one host.
type hostMode struct {
	slow          time.Duration
	failBootstrap string
	failCleanUp   string
	hangCleanUp   bool
	notReady      bool
	dark          bool
	cards         *int64
}

func (h *hosts) mode(address string) hostMode {
	h.lock.Lock()
	defer h.lock.Unlock()
	m := h.modes[address]
	if m.dark {
		m.failBootstrap, m.failCleanUp = errDark, errDark
	}
	return m
}

func (s *StandIn) setHostMode(address string, change func(*hostMode)) {
	address = withPort(address)
	s.hosts.lock.Lock()
	m := s.hosts.modes[address]
	change(&m)
	s.hosts.modes[address] = m
	var runs Ref
	if found := s.hosts.byAddress[address]; found != nil {
		runs = found.Machine
	}
	s.hosts.lock.Unlock()
	if runs != (Ref{}) {
		s.enqueue(machine, runs)
	}
}

// SlowHost makes a host take that long for a bootstrap and for a clean-up, on top of the time scale; 0 ends it. All
// these modes take an address with or without a port; without one it is 22.
func (s *StandIn) SlowHost(address string, each time.Duration) {
	s.setHostMode(address, func(m *hostMode) { m.slow = each })
}

// FailBootstrap makes every bootstrap of a host fail with the message, until an empty one heals it. The operator tries
// again and again.
func (s *StandIn) FailBootstrap(address, message string) {
	s.setHostMode(address, func(m *hostMode) { m.failBootstrap = message })
}

// FailCleanUp makes the clean-up of a host fail. The operator logs that and takes the host back dirty.
func (s *StandIn) FailCleanUp(address, message string) {
	s.setHostMode(address, func(m *hostMode) { m.failCleanUp = message })
}

// HangCleanUp makes the clean-up of a host hang until it is repaired by a false.
func (s *StandIn) HangCleanUp(address string, on bool) {
	s.setHostMode(address, func(m *hostMode) { m.hangCleanUp = on })
}

// NodeNotReady makes the Node of a host say that it is not ready, and a false makes it ready.
func (s *StandIn) NodeNotReady(address string, on bool) {
	s.setHostMode(address, func(m *hostMode) { m.notReady = on })
}

// Dark cuts a host off: its Node is heard of no more, nobody logs in, and a clean-up fails, which the operator only logs.
// A false brings it back.
func (s *StandIn) Dark(address string, on bool) {
	s.setHostMode(address, func(m *hostMode) { m.dark = on })
}

// errDark is what a login to a host that is cut off comes to.
const errDark = "failed to connect to host: dial tcp: i/o timeout"

// Cards says how many GPUs a host has, if its labels say that it has any; the default is 8.
func (s *StandIn) Cards(address string, number int64) {
	s.setHostMode(address, func(m *hostMode) { m.cards = &number })
}
