// Package guides_test runs the shell blocks of the README and of all guides, in order,
// against the real program, as a newcomer would paste them. HTML comments above a block say
// what else the reader does; see block.
package guides_test

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/wait"
	"gatehouse.internal/test/harness/freeport"
)

// place is a checkout in which the guides are followed: the program in bin, and a
// development instance.
type place struct {
	directory   string
	environment []string
	// moved replaces the ports and directories of the guides by those of the test.
	moved *strings.Replacer
}

// ports are those that the guides use.
var ports = []string{"8400", "8401", "8402", "3000", "3001", "3002", "4180", "5432"}

func TestGuides(t *testing.T) {
	t.Parallel()
	here := settle(t)
	here.start(t)
	here.hurry(t)
	for _, path := range guides(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) { here.follow(t, path) })
	}
}

// settle makes a checkout with the program.
func settle(t *testing.T) place {
	t.Helper()
	directory := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(directory, "bin", "gatehouse"), "gatehouse.internal/bootstrap/gatehouse")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, output)
	}
	watch(t, root)
	shims, err := filepath.Abs("shims")
	if err != nil {
		t.Fatal(err)
	}
	var moves []string
	environment := []string{
		"PATH=" + shims + ":" + os.Getenv("PATH") + ":" + filepath.Join(root, "bin"),
		"HOME=" + directory, "ROOT=" + root, "TMPDIR=" + t.TempDir(), "REAL_GO=" + lookUp(t, "go"),
		"GOCACHE=" + goEnv(t, "GOCACHE"), "GOMODCACHE=" + goEnv(t, "GOMODCACHE"),
	}
	for _, port := range ports {
		free, err := freeport.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, port, strconv.Itoa(free))
	}
	moves = append(moves, "/tmp/", t.TempDir()+"/")
	return place{directory: directory, environment: environment, moved: strings.NewReplacer(moves...)}
}

// watch looks at the sources of the program, so that go test takes no older pass for one
// when any has changed.
func watch(t *testing.T, root string) {
	t.Helper()
	for _, part := range []string{"domain", "application", "ports", "adapters", "bootstrap", "migrations", "go.mod"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func lookUp(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(value))
}

// start starts the development instance that the guides begin with.
func (p place) start(t *testing.T) {
	t.Helper()
	port := p.moved.Replace("8400")
	var log strings.Builder
	cmd := exec.Command("bin/gatehouse", "dev")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.directory, append(p.environment, "PORT="+port), io.Discard, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of the instance:\n%s", log.String()[max(0, log.Len()-4000):])
		}
	})
	for deadline := time.Now().Add(blockWithin); time.Now().Before(deadline); {
		answer, err := http.Get("http://localhost:" + port + "/health?check=ready")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		if err := wait.For(t.Context(), 20*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the instance does not become ready")
}

// hurry raises the limits that readers, who are slower, do not meet.
func (p place) hurry(t *testing.T) {
	t.Helper()
	terminal := open(t, p.directory, p.environment)
	did := terminal.run(p.moved.Replace(`bin/gatehouse login --url http://localhost:8400 --profile hurry --email admin@gatehouse.local < data/admin_password
for name in AUTH.LOGIN AUTH.SIGNUP; do bin/gatehouse exec --profile hurry RATE_LIMIT.SET command=$name key=ip limit=1000 window_seconds=60; done
`))
	if len(did.failed) > 0 {
		t.Fatalf("raise the limits: %q\n%s", did.failed, did.output)
	}
}

// follow runs the blocks of a guide in one shell.
func (p place) follow(t *testing.T, path string) {
	began, blocks := time.Now(), read(t, path)
	terminal := open(t, p.directory, p.environment)
	for _, b := range blocks {
		if flaw := b.flaw(); flaw != "" {
			t.Errorf("%s: %s", b, flaw)
			continue
		}
		if b.file != "" {
			name := p.moved.Replace(b.file)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(p.moved.Replace(b.text)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if b.language != "sh" || b.notRun != "" {
			continue
		}
		if b.byHand != "" {
			if did := terminal.run(p.moved.Replace(b.byHand)); len(did.failed) > 0 {
				t.Fatalf("%s: what is done by hand: %q\n%s", b, did.failed, did.output)
			}
		}
		did := terminal.run(p.moved.Replace(b.text))
		if wrong := b.wrong(did); wrong != "" {
			t.Fatalf("%s: %s\n%s\nsaid:\n%s", b, wrong, b.text, did.output)
		}
	}
	t.Logf("%d blocks in %s", len(blocks), time.Since(began).Round(time.Millisecond))
}
