package guides_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced code block of a guide.
type block struct {
	// line is the number of its first line in the file.
	line     int
	language string
	text     string
	// Marks of the HTML comments above it, which readers don't see.
	//
	// notRun is the reason why it cannot be run.
	notRun string
	// file is the name of the file that its text is written to.
	file string
	// refused are the codes of the errors that it is expected to show.
	refused []string
	// byHand are the shell commands that stand for what a person does in a browser before it.
	byHand string
}

var mark = regexp.MustCompile(`^<!-- (not run|file|refused|by hand): (.+) -->$`)

// read returns the blocks of a guide, and fails the test for a mark or fence that is wrong.
func read(t *testing.T, path string) []block {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	var next block
	var inside *block
	for i, line := range strings.Split(string(text), "\n") {
		fence, fenced := strings.CutPrefix(line, "```")
		marked := mark.FindStringSubmatch(line)
		switch {
		case inside != nil && fenced:
			all, inside = append(all, *inside), nil
		case inside != nil:
			inside.text += line + "\n"
		case fenced:
			next.line, next.language = i+2, fence
			one := next
			inside, next = &one, block{}
		case marked != nil:
			next.set(marked[1], marked[2])
		case strings.HasPrefix(line, "<!--"):
			t.Errorf("%s:%d: unknown comment: %s", filepath.Base(path), i+1, line)
		case line != "" && !slices.Contains([]string{next.notRun, next.file, next.byHand}, "") || line != "" && next.refused != nil:
			t.Errorf("%s:%d: a mark must stand above a block", filepath.Base(path), i+1)
		}
	}
	return all
}

func (b *block) set(name, value string) {
	switch name {
	case "not run":
		b.notRun = value
	case "file":
		b.file = value
	case "refused":
		b.refused = strings.Split(value, ", ")
	case "by hand":
		b.byHand += value + "\n"
	}
}

// flaw returns what is wrong with a block by itself, or "".
func (b block) flaw() string {
	shell := b.language == "sh"
	switch {
	case b.language == "":
		return "the fence names no language"
	case slices.Contains([]string{"js", "go"}, b.language) && b.file == "" && b.notRun == "":
		return "a program needs a mark: file or not run"
	case !shell && (b.refused != nil || b.byHand != ""):
		return "only shell blocks are run"
	case shell && regexp.MustCompile(`(?m)(^|[|;&(]\s*)gatehouse `).MatchString(b.text):
		return "the program is called bin/gatehouse"
	case shell && b.notRun == "" && regexp.MustCompile(`_…|<[a-z ]+>`).MatchString(b.text):
		return "a placeholder stands where a value must be captured"
	}
	return ""
}

// guides returns the files with blocks, in the order in which they are run: from the last
// guide to the first, so that none can rest on what an earlier one left.
func guides(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, "adapters", "pages", "docs", "*.md"))
	if err != nil || len(files) < 15 {
		t.Fatalf("Glob() = %q, %v", files, err)
	}
	slices.Sort(files)
	slices.Reverse(files)
	return append(files, filepath.Join(root, "README.md"))
}

func (b block) String() string { return fmt.Sprintf("line %d", b.line) }
