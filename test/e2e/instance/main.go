// Package instance runs the program as its users do, built and in processes of its own,
// on PostgreSQL with two replicas and on SQLite, and talks to it over HTTP. It knows
// nothing of what is inside but the names of the tables.
package instance

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// scratch is the directory of the test process.
var scratch string

// Run runs the tests of a package, and what it is given to do after them. It returns the
// exit code.
func Run(m *testing.M, after ...func()) int {
	flag.Parse()
	// Most tests wait for processes to start and to drain, so more of them go
	// together than there are cores.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	made, err := os.MkdirTemp("", "gatehouse-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(made)
	for _, do := range after {
		defer do()
	}
	scratch = made
	// After the program's own place is made, which memory may forbid to run it from.
	if err := inMemory(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// look looks at the files that the program is made of, which go test remembers beside the result: it
// takes no older pass for one when any has changed. To import the program is not enough, as the linker
// keeps nothing of it that the tests do not call.
func look() error {
	for _, part := range []string{"domain", "application", "ports", "adapters", "bootstrap", "migrations", "go.mod", "go.sum"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", part), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("look at the program: %w", err)
		}
	}
	return nil
}

// binary builds the program, once per test process, by the flags of `make build`,
// which has compiled it already when the whole is tested.
var binary = sync.OnceValues(func() (string, error) {
	if err := look(); err != nil {
		return "", err
	}
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
