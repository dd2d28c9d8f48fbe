package arch_test

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// machineWords tie the project to one machine or one mirror. They are put
// together here so that this file does not contain them.
func machineWords() []string {
	return []string{
		"/" + "work/", "/" + "root/", "/" + "home/",
		"proxy." + "golang.org", "sum." + "golang.org", "deb." + "debian.org", "registry." + "npmjs.org",
	}
}

// unfinished matches what landed code does not contain.
func unfinished() *regexp.Regexp {
	return regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b|\.Skip(f|Now)?\(|panic\("(unreach|not impl)`)
}

func TestWords(t *testing.T) {
	t.Parallel()
	dir := root(t)
	texts := readable(t, os.DirFS(dir), projectFiles(t, dir))
	report(t, checkMachineWords(texts))
	report(t, checkUnfinished(texts))
}

func checkMachineWords(texts map[string]string) []string {
	var problems []string
	words := machineWords()
	for p, text := range texts {
		for i, line := range strings.Split(text, "\n") {
			for _, word := range words {
				if strings.Contains(line, word) {
					problems = append(problems, fmt.Sprintf("%s:%d names %s", p, i+1, word))
				}
			}
		}
	}
	return problems
}

// checkUnfinished looks at sources, among them tests: none is skipped.
func checkUnfinished(texts map[string]string) []string {
	var problems []string
	mark := unfinished()
	for p, text := range texts {
		if !isSource(p) || strings.HasPrefix(p, "test/arch/") {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if found := mark.FindString(line); found != "" {
				problems = append(problems, fmt.Sprintf("%s:%d contains %s", p, i+1, found))
			}
		}
	}
	return problems
}

func isSource(p string) bool {
	switch path.Ext(p) {
	case ".go", ".sql", ".sh", ".html", ".css", ".js":
		return true
	}
	return p == "Makefile" || path.Dir(p) == ".ci"
}

func TestWordChecksFindWhatIsForbidden(t *testing.T) {
	t.Parallel()
	words := machineWords()
	wantProblems(t, checkMachineWords(map[string]string{
		"README.md":          "fine\nsee " + words[0] + "main",
		".ci/setup":          "curl https://" + words[3],
		"domain/user/ok.go":  "// a network of frameworks",
		"test/golden/ok.txt": "GOPROXY",
	}), "README.md:2", ".ci/setup:1")
	wantProblems(t, checkUnfinished(map[string]string{
		"domain/a.go":      "// TO" + "DO: more",
		"domain/a_test.go": "\tt.Sk" + "ip(\"slow\")",
		"domain/b_test.go": "\tt.Skip" + "Now()",
		"domain/c.go":      "\tpanic(\"unreach" + "able\")",
		"migrations/1.sql": "-- FIX" + "ME",
		".ci/run":          "# TO" + "DO",
		"domain/ok.go":     "// Skips expired rows; mastodon.Skipper(x)",
		"README.md":        "TO" + "DO",
	}), "domain/a.go:1", "domain/a_test.go:1", "domain/b_test.go:1", "domain/c.go:1", "migrations/1.sql:1", ".ci/run:1")
}
