package arch_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowedTop is all that may stand at the top, besides dotfiles.
func allowedTop() []string {
	return []string{
		"domain", "application", "ports", "adapters", "bootstrap", "migrations", "test",
		"go.mod", "go.sum", "Makefile", "README.md", "CONTRIBUTING.md",
	}
}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	report(t, checkTop(projectFiles(t, root(t))))
}

// checkTop finds names that do not belong at the top of the tree.
func checkTop(paths []string) []string {
	var problems []string
	for _, p := range paths {
		name := top(p)
		if !strings.HasPrefix(name, ".") && !slices.Contains(allowedTop(), name) && !slices.Contains(problems, name) {
			problems = append(problems, name)
		}
	}
	for i, name := range problems {
		problems[i] = name + " does not belong at the top level"
	}
	return problems
}

// projectFiles are the files git knows or would add; in a tree without git, or
// one git does not trust, every file that is not ignored by name.
func projectFiles(t *testing.T, dir string) []string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = dir
	output, err := list.Output()
	if err != nil {
		return files(t, os.DirFS(dir))
	}
	var found []string
	for p := range strings.SplitSeq(string(output), "\x00") {
		if info, err := os.Lstat(filepath.Join(dir, p)); p != "" && err == nil && info.Mode().IsRegular() {
			found = append(found, p)
		}
	}
	return found
}

func TestTopLevelCheckFindsStrangers(t *testing.T) {
	t.Parallel()
	wantProblems(t, checkTop([]string{
		"domain/user/user.go", "go.mod", ".gitignore", ".ci/run", "internal/a.go", "internal/b.go", "notes.txt",
	}), "internal", "notes.txt")
}

func TestProjectFilesWithoutGitLeaveOutWhatIsIgnored(t *testing.T) {
	t.Parallel()
	all := files(t, tree(map[string]string{
		"go.mod": "", "bin/gatehouse": "", "data/store.db": "", ".git/HEAD": "", "domain/data/data.go": "",
	}))
	if want := []string{"domain/data/data.go", "go.mod"}; !slices.Equal(all, want) {
		t.Errorf("files() = %q, want %q", all, want)
	}
}

// readable drops checksums, and what is not text, from a list of files.
func readable(t *testing.T, tree fs.FS, paths []string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, p := range paths {
		if strings.HasSuffix(p, ".sum") {
			continue
		}
		text, err := fs.ReadFile(tree, p)
		if err != nil {
			t.Fatalf("read %s: %v", p, err)
		}
		if !strings.Contains(string(text), "\x00") {
			texts[p] = string(text)
		}
	}
	return texts
}
