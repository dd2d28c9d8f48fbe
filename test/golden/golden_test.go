// Package golden_test holds the public surface against its committed copy, so
// that every change of it is a diff to review. `make golden` rewrites the files:
// catalog has one for each family of commands, events one for each thing that
// events are about, so that work on two of them meets in no file. access/recent.txt
// lists the commands that ask for a recent login.
package golden_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gatehouse.internal/bootstrap"
	"gatehouse.internal/ports/inbound"
)

var update = flag.Bool("update", false, "rewrite the golden files from the code")

func TestGolden(t *testing.T) {
	t.Parallel()
	commands, kinds, err := bootstrap.Catalog()
	if err != nil {
		t.Fatalf("describe the public surface: %v", err)
	}
	if len(commands) == 0 || len(kinds) == 0 {
		t.Fatalf("%d commands and %d kinds of events", len(commands), len(kinds))
	}
	catalog := documents(t, "commands", commands, func(d inbound.Descriptor) string { return d.Name })
	events := documents(t, "events", kinds, func(k inbound.KindDescriptor) string { return string(k.Type) })
	access := map[string]string{"recent.txt": recent(commands)}
	for dir, texts := range map[string]map[string]string{"catalog": catalog, "events": events, "access": access} {
		if *update {
			write(t, dir, texts)
			continue
		}
		for _, problem := range compare(os.DirFS(dir), texts) {
			t.Errorf("%s/%s\nif that is meant, run `make golden` and review the diff", dir, problem)
		}
	}
}

// documents returns the text of each file by its name, which is what the names in it
// have before the dot.
func documents[T any](t *testing.T, key string, described []T, name func(T) string) map[string]string {
	t.Helper()
	groups := map[string][]T{}
	for _, one := range described {
		prefix, _, _ := strings.Cut(name(one), ".")
		file := strings.ToLower(prefix) + ".json"
		groups[file] = append(groups[file], one)
	}
	texts := map[string]string{}
	for file, group := range groups {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(map[string][]T{key: group}); err != nil {
			t.Fatalf("encode %s: %v", file, err)
		}
		texts[file] = text.String()
	}
	return texts
}

// write makes a directory hold the texts and nothing else.
func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	for file, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compare holds texts against the files of a directory, and finds files that no text
// is for.
func compare(dir fs.FS, texts map[string]string) []string {
	files, err := fs.Glob(dir, "*")
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for _, file := range files {
		if _, known := texts[file]; !known {
			problems = append(problems, file+" is stale: nothing goes into it")
		}
	}
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		want, err := fs.ReadFile(dir, file)
		if err != nil {
			problems = append(problems, file+" is missing: "+err.Error())
			continue
		}
		if line, before, after, differs := firstDifference(string(want), texts[file]); differs {
			problems = append(problems, fmt.Sprintf("%s:%d was\n%s\nand is now\n%s", file, line, before, after))
		}
	}
	return problems
}

// firstDifference finds the first line in which two texts differ.
func firstDifference(want, got string) (line int, before, after string, differs bool) {
	if want == got {
		return 0, "", "", false
	}
	old, fresh := strings.Split(want, "\n"), strings.Split(got, "\n")
	for line < len(old) && line < len(fresh) && old[line] == fresh[line] {
		line++
	}
	at := func(lines []string) string {
		if line < len(lines) {
			return lines[line]
		}
		return "(the end)"
	}
	return line + 1, at(old), at(fresh), true
}

func TestCompare(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{
		"same.json": {Data: []byte("a\n")}, "other.json": {Data: []byte("a\nb\n")}, "stale.json": {Data: []byte("a\n")},
	}
	got := compare(dir, map[string]string{"same.json": "a\n", "other.json": "a\nc\n", "fresh.json": "a\n"})
	want := []string{"stale.json is stale: nothing goes into it", "fresh.json is missing: ", "other.json:2 was\nb\nand is now\nc"}
	if len(got) != len(want) {
		t.Fatalf("compare() = %q, want one for each of %q", got, want)
	}
	for i, problem := range got {
		if !strings.HasPrefix(problem, want[i]) {
			t.Errorf("compare() = %q, want %q", problem, want[i])
		}
	}
}

func TestFirstDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, got, before, after string
		line                     int
		differs                  bool
	}{
		{"a\nb", "a\nb", "", "", 0, false},
		{"a\nb", "a\nc", "b", "c", 2, true},
		{"a", "a\nb", "(the end)", "b", 2, true},
		{"a\nb", "a", "b", "(the end)", 2, true},
	} {
		line, before, after, differs := firstDifference(c.want, c.got)
		if line != c.line || before != c.before || after != c.after || differs != c.differs {
			t.Errorf("firstDifference(%q, %q) = %d, %q, %q, %t", c.want, c.got, line, before, after, differs)
		}
	}
}
