// Package arch_test holds the rules of the tree that a compiler does not know:
// which layer may import which, how long things may be, what stands at the top.
//
// Sources are read with go/parser through os.DirFS, because go test then knows
// which files a result depends on; it would keep a stale pass of `go list`.
// Every check is a function over a file system, so that each is proved by a
// small tree that breaks it.
package arch_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// module is the import path of the tree.
const module = "gatehouse.internal"

// source is one Go file.
type source struct {
	path   string // from the root, with slashes
	text   []byte
	tokens *token.FileSet
	file   *ast.File
}

func (s source) dir() string     { return path.Dir(s.path) }
func (s source) test() bool      { return strings.HasSuffix(s.path, "_test.go") }
func (s source) generated() bool { return ast.IsGenerated(s.file) }
func (s source) line(p token.Pos) int {
	return s.tokens.Position(p).Line
}

// top is the first directory of a path, which is the layer of a source.
func top(p string) string {
	first, _, _ := strings.Cut(p, "/")
	return first
}

// root is the directory with go.mod, at or above the working directory.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("Getwd() = %v", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// ignored directories are no part of the project (.gitignore).
func ignored(name string) bool {
	return slices.Contains([]string{".git", "bin", "data", "screens", "test/e2e/interop/node_modules"}, name)
}

// files lists the tree's files without what is ignored at its top.
func files(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(tree, ".", func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && ignored(p):
			return fs.SkipDir
		case !entry.IsDir():
			found = append(found, p)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk the tree: %v", err)
	}
	return found
}

var (
	reading sync.Once
	read    []source
)

// project is the project's own Go files, parsed once for all tests.
func project(t *testing.T) []source {
	t.Helper()
	reading.Do(func() { read = sources(t, os.DirFS(root(t))) })
	return read
}

// sources parses the tree's Go files.
func sources(t *testing.T, tree fs.FS) []source {
	t.Helper()
	var found []source
	for _, p := range files(t, tree) {
		if path.Ext(p) != ".go" || slices.Contains(strings.Split(p, "/"), "testdata") {
			continue
		}
		found = append(found, parse(t, tree, p))
	}
	return found
}

func parse(t *testing.T, tree fs.FS, p string) source {
	t.Helper()
	text, err := fs.ReadFile(tree, p)
	if err != nil {
		t.Fatalf("read %s: %v", p, err)
	}
	tokens := token.NewFileSet()
	file, err := parser.ParseFile(tokens, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return source{path: p, text: bytes.TrimSuffix(text, []byte("\n")), tokens: tokens, file: file}
}

// report fails the test with every problem.
func report(t *testing.T, problems []string) {
	t.Helper()
	for _, problem := range problems {
		t.Error(problem)
	}
}

// tree makes a file system of paths and texts.
func tree(texts map[string]string) fs.FS {
	made := fstest.MapFS{}
	for p, text := range texts {
		made[p] = &fstest.MapFile{Data: []byte(text)}
	}
	return made
}

// wantProblems proves a check: it must name exactly these places, in any order.
func wantProblems(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("problems = %q, want one for each of %q", got, want)
	}
	for _, place := range want {
		if !slices.ContainsFunc(got, func(problem string) bool { return strings.Contains(problem, place) }) {
			t.Errorf("problems = %q, want one that names %q", got, place)
		}
	}
}
