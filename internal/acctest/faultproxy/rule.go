package faultproxy

import (
	"regexp"
	"sync"
)

// DryRun says whether a rule is about dry runs.
type DryRun int

// The zero value matches both.
const (
	DryOrReal DryRun = iota
	OnlyDry
	OnlyReal
)

// Match selects requests. What is not set matches everything.
type Match struct {
	Verb        string // as in Request
	Method      string
	Path        string // regular expression, searched in the path
	Resource    string // plural, as in the path
	ContentType string
	DryRun      DryRun
	Where       func(Request) bool
}

func (m Match) matches(r Request) bool {
	switch {
	case m.Verb != "" && m.Verb != r.Verb,
		m.Method != "" && m.Method != r.Method,
		m.Resource != "" && m.Resource != r.Resource,
		m.ContentType != "" && m.ContentType != r.ContentType,
		m.DryRun == OnlyDry && !r.DryRun,
		m.DryRun == OnlyReal && r.DryRun,
		m.Path != "" && !regexp.MustCompile(m.Path).MatchString(r.Path),
		m.Where != nil && !m.Where(r):
		return false
	}
	return true
}

// Rule is an action on some of the requests that match: after the first Skip ones, on every Every-th one (0 and 1:
// on each), at most Times times (0: without end).
type Rule struct {
	Name  string // shown as Fault of the requests that it acted on
	Match Match
	Skip  int
	Every int
	Times int
	Do    Action
}

// Active is a rule in force.
type Active struct {
	proxy *Proxy
	rule  Rule
	seen  int
	fired int
	once  sync.Once
	acted chan struct{}
}

// Add puts a rule in force, behind those that are. The first rule that is due acts, alone.
func (p *Proxy) Add(r Rule) *Active {
	if r.Match.Path != "" {
		regexp.MustCompile(r.Match.Path) // here, where the test that wrote it is on the stack
	}
	if r.Name == "" {
		r.Name = "rule"
	}
	a := &Active{proxy: p, rule: r, acted: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, a)
	return a
}

// Clear takes every rule out of force.
func (p *Proxy) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = nil
}

// Remove takes the rule out of force; requests that it holds stay held until their action ends.
func (a *Active) Remove() {
	a.proxy.mu.Lock()
	defer a.proxy.mu.Unlock()
	kept := make([]*Active, 0, len(a.proxy.rules))
	for _, r := range a.proxy.rules {
		if r != a {
			kept = append(kept, r)
		}
	}
	a.proxy.rules = kept
}

// Fired is how often the rule acted.
func (a *Active) Fired() int {
	a.proxy.mu.Lock()
	defer a.proxy.mu.Unlock()
	return a.fired
}

// Acted is closed when the rule acts for the first time.
func (a *Active) Acted() <-chan struct{} { return a.acted }

// due counts a request and says whether the rule acts on it. The proxy's lock is held.
func (a *Active) due(r Request) bool {
	if !a.rule.Match.matches(r) {
		return false
	}
	a.seen++
	nth := a.seen - a.rule.Skip
	if nth <= 0 || a.rule.Times > 0 && a.fired >= a.rule.Times {
		return false
	}
	if a.rule.Every > 1 && nth%a.rule.Every != 0 {
		return false
	}
	a.fired++
	return true
}

func (a *Active) announce() { a.once.Do(func() { close(a.acted) }) }
