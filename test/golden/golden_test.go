// Package golden_test holds the public surface against its committed copy, so
// that every change of it is a diff to review. `make golden` rewrites the files.
package golden_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"gatehouse.internal/bootstrap"
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
	compare(t, "catalog.json", map[string]any{"commands": commands})
	compare(t, "events.json", map[string]any{"events": kinds})
}

// compare holds a document against its file, or writes the file.
func compare(t *testing.T, file string, document any) {
	t.Helper()
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		t.Fatalf("encode %s: %v", file, err)
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (`make golden` writes it)", err)
	}
	if line, before, after, differs := firstDifference(string(want), got.String()); differs {
		t.Errorf("%s:%d was\n%s\nand is now\n%s\nif that is meant, run `make golden` and review the diff", file, line, before, after)
	}
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
