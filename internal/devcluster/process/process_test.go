package process

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// actAsOwner makes the test binary a program that starts a child and waits to be killed.
const actAsOwner = "K0SMOS_TEST_OWNER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(actAsOwner); dir != "" {
		child, err := Start(Spec{Name: "child", Dir: dir, Path: "/bin/sleep", Args: []string{"600"}})
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(strconv.Itoa(child.PID()) + "\n") //nolint:errcheck // the test sees it
		<-child.Done()
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestAProgramThatEndsByItselfIsAnErrorWithTheEndOfItsLog(t *testing.T) {
	p := shell(t, t.TempDir(), "echo first; echo the reason >&2; exit 3")
	<-p.Done()
	err := p.Err()
	if err == nil || !strings.Contains(err.Error(), "the reason") || !strings.Contains(err.Error(), "exit status 3") {
		t.Fatalf("got %v", err)
	}
}

func TestAProgramThatWasStoppedIsNoError(t *testing.T) {
	dir := t.TempDir()
	p := shell(t, dir, "sleep 600")
	if _, err := ReadRecord(filepath.Join(dir, "program.pid")); err != nil {
		t.Errorf("it is not remembered while it runs: %v", err)
	}
	if err := p.Stop(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	if err := p.Err(); err != nil {
		t.Error(err)
	}
	if _, err := ReadRecord(filepath.Join(dir, "program.pid")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still remembered: %v", err)
	}
	if err := p.Stop(0); err != nil {
		t.Errorf("stopping it twice: %v", err)
	}
}

func TestAProgramThatIgnoresTheRequestIsEndedWithItsChildren(t *testing.T) {
	dir := t.TempDir()
	p := shell(t, dir, "trap '' TERM; sleep 600 & echo $! >child; while :; do sleep 600; done")
	child := numberIn(t, filepath.Join(dir, "child"))
	if err := p.Stop(100 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	waitGone(t, child)
}

func TestAProgramSeesNothingOfTheUsersClusters(t *testing.T) {
	t.Setenv("KUBECONFIG", "/somewhere")
	t.Setenv("HTTPS_PROXY", "http://proxy")
	dir := t.TempDir()
	p, err := Start(Spec{Name: "program", Dir: dir, Path: "/usr/bin/env", Env: []string{"GIVEN=yes"}})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	log, err := os.ReadFile(p.Log())
	if err != nil {
		t.Fatal(err)
	}
	if text := string(log); !strings.Contains(text, "GIVEN=yes") || strings.Contains(text, "/somewhere") || strings.Contains(text, "proxy") {
		t.Errorf("its environment is\n%s", text)
	}
}

func TestWaitingEnds(t *testing.T) {
	never := func(context.Context) error { return errors.New("not yet") }
	t.Run("when the program dies, with its log", func(t *testing.T) {
		p := shell(t, t.TempDir(), "echo bad flag; exit 1")
		if err := p.Wait(t.Context(), never); err == nil || !strings.Contains(err.Error(), "bad flag") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("when the time is over, with the last reason", func(t *testing.T) {
		p := shell(t, t.TempDir(), "sleep 600")
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		err := p.Wait(ctx, never)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not yet") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("when it is ready", func(t *testing.T) {
		p := shell(t, t.TempDir(), "sleep 600")
		if err := p.Wait(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	_, err := Start(Spec{Name: "program", Dir: t.TempDir(), Path: "/does/not/exist"})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

func TestAProgramDiesWithItsOwner(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command(self)
	owner.Env = append(os.Environ(), actAsOwner+"="+t.TempDir())
	output, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := owner.Wait(); err == nil {
		t.Fatal("the owner was not killed")
	}
	waitGone(t, child)
}

func TestARecordIsOfOneProcessOnly(t *testing.T) {
	dir := t.TempDir()
	p := shell(t, dir, "sleep 600")
	record, err := ReadRecord(filepath.Join(dir, "program.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if !record.Alive() {
		t.Error("a running process counts as gone")
	}
	other := Record{PID: record.PID, Started: "another time"}
	if other.Alive() {
		t.Error("another process with the same number counts as the recorded one")
	}
	if err := other.Stop(0); err != nil || !record.Alive() {
		t.Fatalf("another process with the same number was stopped (%v)", err)
	}
	stopped, err := StopRecorded(dir, time.Second)
	if err != nil || stopped != 1 {
		t.Fatalf("stopped %d: %v", stopped, err)
	}
	<-p.Done()
	if record.Alive() {
		t.Error("a stopped process counts as alive")
	}
}

func TestWhatIsNoRecordIsRefused(t *testing.T) {
	for name, content := range map[string]string{
		"text":                           "hello",
		"an empty file":                  "",
		"the process group of everybody": `{"pid":0,"started":"x"}`,
		"init":                           `{"pid":1,"started":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.pid")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if record, err := ReadRecord(path); err == nil {
				t.Errorf("read as %+v", record)
			}
		})
	}
}

func TestATailIsTheLastLinesOfAnyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(strings.Repeat("a long line of a long log\n", 10000)+"the end\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tail := Tail(path)
	if lines := strings.Count(tail, "\n") + 1; lines != tailLines || !strings.HasSuffix(tail, "the end") {
		t.Errorf("got %d lines:\n%s", lines, tail)
	}
	if tail := Tail(path + "-missing"); !strings.Contains(tail, "no such file") {
		t.Errorf("got %s", tail)
	}
}

func shell(t *testing.T, dir, script string) *Process {
	t.Helper()
	p, err := Start(Spec{Name: "program", Dir: dir, Path: "/bin/sh", Args: []string{"-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func numberIn(t *testing.T, path string) int {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(data), "\n") {
			continue
		}
		number, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	t.Fatalf("%s was not written", path)
	return 0
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := startTime(pid); err != nil {
			return
		}
	}
	t.Errorf("process %d is still there", pid)
}
