package arch_test

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// phrases are what comments say in Go's own words, and how they do not.
func phrases() []term {
	return []term{
		{"reports whether", regexp.MustCompile(`\btells?\s+(whether|if)\b`)},
		{"returns", regexp.MustCompile(`\b(and|It) tells (why|what|which|how)\b`)},
		{"dry run", regexp.MustCompile(`(?i)\brehears`)},
		{"recover", regexp.MustCompile(`(?i)\brescu`)},
		{"session ended", regexp.MustCompile(`(?i)\bfarewell`)},
		{"before", regexp.MustCompile(`\bof before\b`)},
		{"the previous release", regexp.MustCompile(`\bthe release before\b`)},
		{"fails, because", regexp.MustCompile(`\bis nothing that\b`)},
		{"links to ours", regexp.MustCompile(`\bof ours (it|they) (is|are)\b`)},
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	report(t, checkComments(project(t)))
}

// checkComments finds comments that do not use the words of Go and its field.
func checkComments(all []source) []string {
	var problems []string
	for _, s := range all {
		if s.dir() == "test/arch" {
			continue
		}
		problems = append(problems, checkFunctionDocs(s)...)
		for _, group := range s.file.Comments {
			text := strings.Join(strings.Fields(group.Text()), " ")
			for _, one := range phrases() {
				if found := one.not.FindString(text); found != "" {
					problems = append(problems, fmt.Sprintf("%s:%d says %q, not %q", s.path, s.line(group.Pos()), found, one.said))
				}
			}
		}
	}
	return problems
}

// checkFunctionDocs finds functions that "give" or "tell" where they return, and those that
// "report" anything but whether something is so.
func checkFunctionDocs(s source) []string {
	var problems []string
	ast.Inspect(s.file, func(node ast.Node) bool {
		name, doc, kind := "", (*ast.CommentGroup)(nil), (*ast.FuncType)(nil)
		switch n := node.(type) {
		case *ast.FuncDecl:
			name, doc, kind = n.Name.Name, n.Doc, n.Type
		case *ast.Field:
			if of, is := n.Type.(*ast.FuncType); is && len(n.Names) == 1 {
				name, doc, kind = n.Names[0].Name, n.Doc, of
			}
		}
		if kind == nil || kind.Results == nil {
			return true
		}
		text := strings.Join(strings.Fields(doc.Text()), " ")
		for _, verb := range []string{"gives", "tells"} {
			if strings.HasPrefix(text, name+" "+verb+" ") {
				problems = append(problems, fmt.Sprintf("%s:%d says %q of what %s returns or reports", s.path, s.line(doc.Pos()), verb, name))
			}
		}
		if first, _, _ := strings.Cut(text, ". "); strings.HasPrefix(first, name+" reports ") && !strings.Contains(first, " whether ") {
			problems = append(problems, fmt.Sprintf("%s:%d says \"reports\" of what %s returns", s.path, s.line(doc.Pos()), name))
		}
		return true
	})
	return problems
}

func TestCommentCheckFindsOtherWords(t *testing.T) {
	t.Parallel()
	wantProblems(t, checkComments(sources(t, tree(map[string]string{
		"domain/a/a.go":      "package a\n\n// It tells\n// whether it is on.\nvar on bool\n",
		"domain/a/a_test.go": "package a_test\n\n// A rehearsal.\nvar x = 1\n",
		"domain/e/e.go":      "package e\n\n// drop removes all, and tells\n// how many. A page tells how.\nfunc drop() int\n",
		"domain/g/g.go":      "package g\n\n// Coupons is nothing that\n// it can do.\nvar x = 1\n",
		"domain/h/h.go":      "package h\n\n// Marks say of it what of ours it is.\nvar x = 1\n",
		"domain/i/i.go":      "package i\n\n// As in the release before.\nvar x = 1\n",
		"domain/b/b.go":      "package b\n\n// on reports whether it is on.\nvar y = \"tells whether\"\n",
		"domain/c/c.go":      "package c\n\n// New gives one.\nfunc New() int\n\n// Grant gives a role.\nfunc Grant()\n",
		"domain/d/d.go":      "package d\n\ntype D interface {\n\t// Name tells what.\n\tName() string\n}\n",
		"domain/f/f.go":      "package f\n\n// size reports how\n// many there are. It asks whether.\nfunc size() int\n\n// each reports of all\n// whether they are on.\nfunc each() []bool\n",
	}))), "domain/a/a.go:3", "domain/a/a_test.go:3", "domain/c/c.go:3", "domain/d/d.go:4", "domain/e/e.go:3", "domain/f/f.go:3", "domain/g/g.go:3", "domain/h/h.go:3", "domain/i/i.go:3")
}
