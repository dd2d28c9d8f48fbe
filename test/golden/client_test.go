package golden_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse.internal/adapters/client/generate"
	"gatehouse.internal/bootstrap"
)

// The typed client has a method and types for each command, as the catalog describes it.
func TestClient(t *testing.T) {
	t.Parallel()
	const dir = "../../adapters/client"
	commands, _, err := bootstrap.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	texts, err := generate.Go(commands)
	if err != nil {
		t.Fatal(err)
	}
	stale := generated(t, dir)
	for file, text := range texts {
		delete(stale, file)
		path := filepath.Join(dir, file)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		held, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if line, before, after, differs := firstDifference(string(held), text); differs {
			t.Errorf("%s:%d was\n%s\nand is now\n%s\nrun `make golden` and review the diff", path, line, before, after)
		}
	}
	for file := range stale {
		if !*update {
			t.Errorf("%s/%s is stale: no command is in it", dir, file)
		} else if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
}

// generated returns the names of the generated files of a directory.
func generated(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "// Code generated ") {
			found[filepath.Base(file)] = true
		}
	}
	return found
}
