package arch_test

import (
	"maps"
	"slices"
	"testing"
)

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	report(t, checkDocs(project(t)))
}

// checkDocs finds packages of the program without a package comment.
func checkDocs(all []source) []string {
	documented := map[string]bool{}
	for _, s := range all {
		if _, ofProgram := layers()[top(s.path)]; ofProgram && !s.test() {
			documented[s.dir()] = documented[s.dir()] || s.file.Doc.Text() != ""
		}
	}
	var problems []string
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			problems = append(problems, dir+" has no package comment")
		}
	}
	return problems
}

func TestDocCheckFindsSilentPackages(t *testing.T) {
	t.Parallel()
	wantProblems(t, checkDocs(sources(t, tree(map[string]string{
		"domain/a/a.go":      "package a\n",
		"domain/a/a_test.go": "// Package a_test is documented, which does not count.\npackage a_test\n",
		"domain/b/b.go":      "package b\n",
		"domain/b/doc.go":    "// Package b is documented.\npackage b\n",
		"ports/c/c.go":       "//nolint:revive // a directive is no documentation\npackage c\n",
		"test/d/d.go":        "package d\n",
	}))), "domain/a", "ports/c")
}
