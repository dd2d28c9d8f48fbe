// Package e2e_test meets the specification over HTTP: it builds the program,
// starts it as its users do, on PostgreSQL with two replicas and on SQLite, and
// talks to it. It knows nothing of what is inside but the names of the tables.
package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	// What the program is made of beside what the harness imports, so that go
	// test does not take an older pass for a result.
	_ "gatehouse.internal/adapters/cli"
)

// scratch is the directory of the test process.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	// Most tests wait for processes to start and to drain, so more of them go
	// together than there are cores.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	made, err := os.MkdirTemp("", "gatehouse-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(made)
	defer closeChromium()
	scratch = made
	// After the program's own place is made, which memory may forbid to run it from.
	if err := inMemory(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// binary builds the program, once per test process, by the flags of `make build`,
// which has compiled it already when the whole is tested.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "gatehouse")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "gatehouse.internal/bootstrap/gatehouse")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return path, nil
})

// program is the path of the built program.
func program(t testing.TB) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
