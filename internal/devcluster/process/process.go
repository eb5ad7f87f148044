// Package process runs the programs of the embedded cluster as children that are stopped for certain: each is a
// process group of its own, is remembered in a file, and dies with the process that started it.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Spec says what to run.
type Spec struct {
	Name string   // names the log and the record, and appears in errors
	Dir  string   // working directory; holds <name>.log and <name>.pid
	Path string   // the program
	Args []string // without the program's name
	Env  []string // in addition to a small part of our own environment
}

// Process is a running, or ended, child.
type Process struct {
	name, log string
	pid       int
	done      chan struct{}

	mu       sync.Mutex
	err      error
	stopping bool
}

// inherited is what children may see of our environment. All else stays out, so that a KUBECONFIG or a proxy of the
// user's shell cannot send them to another cluster.
var inherited = []string{"PATH", "HOME", "TMPDIR", "SSL_CERT_DIR", "SSL_CERT_FILE", "GOMEMLIMIT"}

// Start runs the program and returns when it runs, not when it is ready.
func Start(s Spec) (*Process, error) {
	logPath := filepath.Join(s.Dir, s.Name+".log")
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(s.Path, s.Args...)
	cmd.Dir = s.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes()
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, s.Env...)

	p := &Process{name: s.Name, log: logPath, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel ties "die with the parent" to the thread that forked, so this thread has to live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer log.Close() //nolint:errcheck // the child wrote it, not we
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		p.pid = cmd.Process.Pid
		record := filepath.Join(s.Dir, s.Name+pidSuffix)
		if err := WriteRecord(record, p.pid); err != nil && !errors.Is(err, errEnded) {
			_ = kill(p.pid, syscall.SIGKILL)
			_ = cmd.Wait()
			started <- err
			return
		}
		started <- nil
		err := cmd.Wait()
		_ = kill(p.pid, syscall.SIGKILL) // what it may have left in its group
		_ = os.Remove(record)
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	return p, nil
}

// PID is the process id, which is also the id of its process group.
func (p *Process) PID() int { return p.pid }

// Log is the path of the file with all that the program printed.
func (p *Process) Log() string { return p.log }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says why the program ended, with the end of its log. It is nil while the program runs and when it ended
// because it was told to.
func (p *Process) Err() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return nil
	}
	why := "exit status 0"
	if p.err != nil {
		why = p.err.Error()
	}
	return fmt.Errorf("%s ended by itself (%s); the end of %s:\n%s", p.name, why, p.log, Tail(p.log))
}

// Stop asks the program to end, insists after grace, and returns when it is gone.
func (p *Process) Stop(grace time.Duration) error {
	p.mu.Lock()
	p.stopping = true
	p.mu.Unlock()
	if grace > 0 && p.signal(syscall.SIGTERM) {
		select {
		case <-p.done:
			return nil
		case <-time.After(grace):
		}
	}
	return p.Kill()
}

// Kill ends the program and all of its group at once, as a crash would, and returns when it is gone.
func (p *Process) Kill() error {
	p.mu.Lock()
	p.stopping = true
	p.mu.Unlock()
	p.signal(syscall.SIGKILL)
	select {
	case <-p.done:
		return nil
	case <-time.After(30 * time.Second):
		return fmt.Errorf("%s (process %d) does not end", p.name, p.pid)
	}
}

// signal reports whether the program was there to get it.
func (p *Process) signal(s syscall.Signal) bool {
	select {
	case <-p.done:
		return false
	default:
		return kill(p.pid, s) == nil
	}
}

// Wait polls ready until it says nil. It gives up when the program ends or ctx does, with the last reason.
func (p *Process) Wait(ctx context.Context, ready func(context.Context) error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			if died := p.Err(); died != nil {
				return died
			}
			return fmt.Errorf("%s was stopped before it was ready", p.name)
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w (last: %w); the end of %s:\n%s", p.name, ctx.Err(), err, p.log, Tail(p.log))
		case <-tick.C:
		}
	}
}

// kill signals a whole process group. A group that is gone already is what the caller wants.
func kill(pid int, s syscall.Signal) error {
	if err := syscall.Kill(-pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
