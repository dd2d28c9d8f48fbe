package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse.internal/test/harness/cluster"
)

func install(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatalf("MkdirAll() = %v", err)
	}
	for _, name := range []string{"initdb", "pg_ctl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatalf("WriteFile() = %v", err)
		}
	}
}

// Not parallel: it changes PATH.
func TestPostgresIsFoundInPathThenTheNewestElsewhere(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "path")
	t.Setenv("PATH", path)
	elsewhere := filepath.Join(root, "*", "bin")

	if _, err := cluster.FindInitdb(elsewhere); err == nil || !strings.Contains(err.Error(), "install PostgreSQL") {
		t.Errorf("without PostgreSQL: %v, want what to install", err)
	}
	for _, step := range []struct{ install, want string }{
		{filepath.Join(root, "9", "bin"), filepath.Join(root, "9", "bin", "initdb")},
		{filepath.Join(root, "15", "bin"), filepath.Join(root, "15", "bin", "initdb")},
		{path, filepath.Join(path, "initdb")},
	} {
		install(t, step.install)
		if got, err := cluster.FindInitdb(elsewhere); err != nil || got != step.want {
			t.Errorf("after installing in %s: %q, %v, want %q", step.install, got, err, step.want)
		}
	}
}
