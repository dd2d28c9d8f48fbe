package e2e_test

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse.internal/test/harness/freeport"
)

const (
	startWithin = 2 * time.Minute
	stopWithin  = 2 * time.Minute
	// answersWithin is how soon a call is answered whose store does not answer.
	answersWithin = 30 * time.Second
	poll          = 5 * time.Millisecond
)

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// replica is one running process of the program.
type replica struct {
	t       testing.TB
	secrets *secrets
	url     string
	client  *http.Client
	// out is standard output, log standard error.
	out, log output

	cmd    *exec.Cmd
	exited chan struct{}
	ended  error
}

// launch starts the program and waits until it is ready.
func launch(t testing.TB, known *secrets, directory string, environment map[string]string, args ...string) *replica {
	t.Helper()
	for range 5 {
		r := begin(t, known, directory, environment, args...)
		if r.becomesReady() {
			return r
		}
		// Somebody else took the port between the look and the start.
		if !strings.Contains(r.log.String(), "address already in use") {
			t.Fatalf("gatehouse %s did not become ready (%v):\n%s", strings.Join(args, " "), r.ended, r.log.String())
		}
	}
	t.Fatal("no free port")
	return nil
}

// begin starts the program on a free port, or on PORT, and does not wait.
func begin(t testing.TB, known *secrets, directory string, environment map[string]string, args ...string) *replica {
	t.Helper()
	port := environment["PORT"]
	if port == "" {
		port = strconv.Itoa(freePort(t))
	}
	r := &replica{
		t: t, secrets: known, url: "http://127.0.0.1:" + port, exited: make(chan struct{}),
		client: &http.Client{
			Timeout:       2 * time.Minute,
			Transport:     &http.Transport{MaxIdleConnsPerHost: 128},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	r.cmd = command(t, directory, environment, args...)
	r.cmd.Env = append(r.cmd.Env, "PORT="+port)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.log
	if err := r.cmd.Start(); err != nil {
		t.Fatalf("start %v: %v", args, err)
	}
	go func() {
		r.ended = r.cmd.Wait()
		close(r.exited)
	}()
	t.Cleanup(func() {
		r.Kill()
		r.secrets.absent(r.t, r.log.String())
		if t.Failed() {
			t.Logf("log of %s:\n%s", r.url, tail(r.log.String()))
		}
	})
	return r
}

// command is the program with an environment of its own.
func command(t testing.TB, directory string, environment map[string]string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Dir = directory
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + directory}
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		cmd.Env = append(cmd.Env, name+"="+environment[name])
	}
	cmd.SysProcAttr = attached()
	return cmd
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := freeport.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func tail(text string) string {
	const most = 6000
	if len(text) > most {
		return "…" + text[len(text)-most:]
	}
	return text
}

// becomesReady waits until the process is ready; it is false when that ends before,
// or takes too long.
func (r *replica) becomesReady() bool {
	return r.await(func() bool { return r.health("ready") == http.StatusOK })
}

// await polls until something holds, the process ends or the time is over.
func (r *replica) await(holds func() bool) bool {
	deadline := time.Now().Add(startWithin)
	for time.Now().Before(deadline) {
		if holds() {
			return true
		}
		select {
		case <-r.exited:
			return false
		case <-time.After(poll):
		}
	}
	return false
}

// health is the status of a check; 0 when nobody answers.
func (r *replica) health(check string) int {
	response, err := r.client.Get(r.url + "/health?check=" + check)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// Terminate asks the process to stop.
func (r *replica) Terminate() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Errorf("SIGTERM: %v", err)
	}
}

// Ends waits until the process has ended and fails the test unless it did well.
func (r *replica) Ends() {
	r.t.Helper()
	select {
	case <-r.exited:
	case <-time.After(stopWithin):
		r.Kill()
		r.t.Fatalf("%s still ran %v after SIGTERM:\n%s", r.url, stopWithin, tail(r.log.String()))
	}
	if r.ended != nil {
		r.t.Fatalf("%s ended with %v, want exit code 0:\n%s", r.url, r.ended, tail(r.log.String()))
	}
}

// Kill ends the process as kill -9 does.
func (r *replica) Kill() {
	_ = r.cmd.Process.Kill()
	<-r.exited
	r.client.CloseIdleConnections()
}

// gone reports whether the process has ended.
func (r *replica) gone() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// stop stops replicas together, as an operator does; those that ended before
// are left as they are.
func stop(replicas ...*replica) {
	var stopping []*replica
	for _, r := range replicas {
		r.t.Helper()
		if !r.gone() {
			r.Terminate()
			stopping = append(stopping, r)
		}
	}
	for _, r := range stopping {
		r.Ends()
	}
}

// runOnce runs the program to its end and returns its exit code and all it wrote.
func runOnce(t testing.TB, input, directory string, environment map[string]string, args ...string) (int, string) {
	t.Helper()
	cmd := command(t, directory, environment, args...)
	cmd.Stdin = strings.NewReader(input)
	var all output
	cmd.Stdout, cmd.Stderr = &all, &all
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %v: %v", args, err)
	}
	hung := time.AfterFunc(startWithin, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	err := cmd.Wait()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		return exit.ExitCode(), all.String()
	}
	if err != nil {
		t.Fatalf("gatehouse %s: %v", strings.Join(args, " "), err)
	}
	return 0, all.String()
}

// shortestSecret is the length of the shortest text that cannot be there by chance.
const shortestSecret = 8

// secrets are all texts of a test that no log may hold.
type secrets struct {
	mu    sync.Mutex
	texts map[string]string
}

func (s *secrets) add(what, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	if len(text) >= shortestSecret {
		s.texts[text] = what
	}
}

// absent fails the test when a log holds one of them. It looks up their beginnings
// at every place of the log, since there may be thousands of them.
func (s *secrets) absent(t testing.TB, log string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	beginning := map[string][]string{}
	for text := range s.texts {
		beginning[text[:shortestSecret]] = append(beginning[text[:shortestSecret]], text)
	}
	for at := range max(0, len(log)-shortestSecret+1) {
		for _, text := range beginning[log[at:at+shortestSecret]] {
			if strings.HasPrefix(log[at:], text) {
				t.Errorf("the log holds %s: %.300s", s.texts[text], log[max(0, at-100):])
				return
			}
		}
	}
}
