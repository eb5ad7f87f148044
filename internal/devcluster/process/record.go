package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const pidSuffix = ".pid"

var errEnded = errors.New("it has ended")

// Record is how a process is found again by another one. A process id alone does not do: ids are used again.
type Record struct {
	PID     int    `json:"pid"`
	Started string `json:"started"` // as the operating system tells it
}

// WriteRecord records a running process.
func WriteRecord(path string, pid int) error {
	started, err := startTime(pid)
	if err != nil {
		return err
	}
	data, err := json.Marshal(Record{PID: pid, Started: started})
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o600)
}

// ReadRecord reads a record. A missing file is an error that wraps fs.ErrNotExist.
func ReadRecord(path string) (Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil || r.PID <= 1 {
		return Record{}, fmt.Errorf("%s is not the record of a process", path)
	}
	return r, nil
}

// Alive reports whether the process of the record still runs, and is not another one with its number.
func (r Record) Alive() bool {
	started, err := startTime(r.PID)
	return err == nil && started == r.Started
}

// Stop ends the process of the record if it is still the one that was recorded: it asks, and insists after grace.
func (r Record) Stop(grace time.Duration) error {
	if !r.Alive() {
		return nil
	}
	if err := syscall.Kill(r.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	if r.gone(grace) {
		return nil
	}
	if err := kill(r.PID, syscall.SIGKILL); err != nil {
		return err
	}
	if !r.gone(10 * time.Second) {
		return fmt.Errorf("process %d does not end", r.PID)
	}
	return nil
}

func (r Record) gone(within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if !r.Alive() {
			return true
		}
	}
	return !r.Alive()
}

// StopRecorded ends every process that has a record somewhere under dir. It is for what an owner left behind that
// could not clean up itself.
func StopRecorded(dir string, grace time.Duration) (stopped int, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) != pidSuffix {
			return err
		}
		record, err := ReadRecord(path)
		if err != nil || !record.Alive() {
			return nil //nolint:nilerr // nothing that could be stopped
		}
		stopped++
		return record.Stop(grace)
	})
	return stopped, err
}

// startTime tells when a process started: by boot and clock tick from /proc where there is one, else from ps. A process that has ended but
// was not collected yet counts as gone.
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		// The name in field 2 may hold anything; what follows its closing bracket is fixed.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
			return "", fmt.Errorf("process %d: %w", pid, errEnded)
		}
		boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		return strings.TrimSpace(string(boot)) + " " + fields[19], err
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		return "", fmt.Errorf("process %d: %w", pid, errEnded)
	}
	out, err := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	state, started, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || started == "" || strings.HasPrefix(state, "Z") {
		return "", fmt.Errorf("process %d: %w", pid, errEnded)
	}
	return strings.TrimSpace(started), nil
}
