package instance

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
	StartWithin = 2 * time.Minute
	StopWithin  = 2 * time.Minute
	// AnswersWithin is how soon a call is answered whose store does not answer.
	AnswersWithin = 30 * time.Second
	Poll          = 5 * time.Millisecond
)

// Output collects what a process writes.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *Output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Replica is one running process of the program.
type Replica struct {
	T       testing.TB
	Secrets *secrets
	URL     string
	Client  *http.Client
	// Out is standard output, log standard error.
	Out, Log Output

	cmd    *exec.Cmd
	Exited chan struct{}
	Ended  error
}

// Launch starts the program and waits until it is ready.
func Launch(t testing.TB, known *secrets, directory string, environment map[string]string, args ...string) *Replica {
	t.Helper()
	for range 5 {
		r := Begin(t, known, directory, environment, args...)
		if r.BecomesReady() {
			return r
		}
		// Somebody else took the port between the look and the start.
		if !strings.Contains(r.Log.String(), "address already in use") {
			t.Fatalf("gatehouse %s did not become ready (%v):\n%s", strings.Join(args, " "), r.Ended, r.Log.String())
		}
	}
	t.Fatal("no free port")
	return nil
}

// Begin starts the program on a free port, or on PORT, and does not wait.
func Begin(t testing.TB, known *secrets, directory string, environment map[string]string, args ...string) *Replica {
	t.Helper()
	port := environment["PORT"]
	if port == "" {
		port = strconv.Itoa(FreePort(t))
	}
	r := &Replica{
		T: t, Secrets: known, URL: "http://127.0.0.1:" + port, Exited: make(chan struct{}),
		Client: &http.Client{
			Timeout:       2 * time.Minute,
			Transport:     &http.Transport{MaxIdleConnsPerHost: 128},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	r.cmd = Command(t, directory, environment, args...)
	r.cmd.Env = append(r.cmd.Env, "PORT="+port)
	r.cmd.Stdout, r.cmd.Stderr = &r.Out, &r.Log
	if err := r.cmd.Start(); err != nil {
		t.Fatalf("start %v: %v", args, err)
	}
	go func() {
		r.Ended = r.cmd.Wait()
		close(r.Exited)
	}()
	t.Cleanup(func() {
		r.Kill()
		r.Secrets.absent(r.T, r.Log.String())
		if t.Failed() {
			t.Logf("log of %s:\n%s", r.URL, Tail(r.Log.String()))
		}
	})
	return r
}

// Command is the program with an environment of its own.
func Command(t testing.TB, directory string, environment map[string]string, args ...string) *exec.Cmd {
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

func FreePort(t testing.TB) int {
	t.Helper()
	port, err := freeport.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func Tail(text string) string {
	const most = 6000
	if len(text) > most {
		return "…" + text[len(text)-most:]
	}
	return text
}

// BecomesReady waits until the process is ready; it is false when that ends before,
// or takes too long.
func (r *Replica) BecomesReady() bool {
	return r.Await(func() bool { return r.Health("ready") == http.StatusOK })
}

// Await polls until something holds, the process ends or the time is over.
func (r *Replica) Await(holds func() bool) bool {
	deadline := time.Now().Add(StartWithin)
	for time.Now().Before(deadline) {
		if holds() {
			return true
		}
		select {
		case <-r.Exited:
			return false
		case <-time.After(Poll):
		}
	}
	return false
}

// Health is the status of a check; 0 when nobody answers.
func (r *Replica) Health(check string) int {
	response, err := r.Client.Get(r.URL + "/health?check=" + check)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// Terminate asks the process to stop.
func (r *Replica) Terminate() {
	r.T.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.T.Errorf("SIGTERM: %v", err)
	}
}

// Ends waits until the process has ended and fails the test unless it did well.
func (r *Replica) Ends() {
	r.T.Helper()
	select {
	case <-r.Exited:
	case <-time.After(StopWithin):
		r.Kill()
		r.T.Fatalf("%s still ran %v after SIGTERM:\n%s", r.URL, StopWithin, Tail(r.Log.String()))
	}
	if r.Ended != nil {
		r.T.Fatalf("%s ended with %v, want exit code 0:\n%s", r.URL, r.Ended, Tail(r.Log.String()))
	}
}

// Kill ends the process as kill -9 does.
func (r *Replica) Kill() {
	_ = r.cmd.Process.Kill()
	<-r.Exited
	r.Client.CloseIdleConnections()
}

// Gone reports whether the process has ended.
func (r *Replica) Gone() bool {
	select {
	case <-r.Exited:
		return true
	default:
		return false
	}
}

// Stop stops replicas together, as an operator does; those that ended before
// are left as they are.
func Stop(replicas ...*Replica) {
	var stopping []*Replica
	for _, r := range replicas {
		r.T.Helper()
		if !r.Gone() {
			r.Terminate()
			stopping = append(stopping, r)
		}
	}
	for _, r := range stopping {
		r.Ends()
	}
}

// RunOnce runs the program to its end and returns its exit code and all it wrote.
func RunOnce(t testing.TB, input, directory string, environment map[string]string, args ...string) (int, string) {
	t.Helper()
	cmd := Command(t, directory, environment, args...)
	cmd.Stdin = strings.NewReader(input)
	var all Output
	cmd.Stdout, cmd.Stderr = &all, &all
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %v: %v", args, err)
	}
	hung := time.AfterFunc(StartWithin, func() { _ = cmd.Process.Kill() })
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

func (s *secrets) Add(what, text string) {
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
