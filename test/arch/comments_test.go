package arch_test

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

func TestComments(t *testing.T) {
	t.Parallel()
	report(t, checkComments(project(t)))
}

// checkComments finds doc comments of functions that do not use the words of Go.
func checkComments(all []source) []string {
	var problems []string
	for _, s := range all {
		if s.dir() == "test/arch" {
			continue
		}
		problems = append(problems, checkFunctionDocs(s)...)
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
		"domain/b/b.go": "package b\n\n// on reports whether it is on.\nvar y = \"tells whether\"\n",
		"domain/c/c.go": "package c\n\n// New gives one.\nfunc New() int\n\n// Grant gives a role.\nfunc Grant()\n",
		"domain/d/d.go": "package d\n\ntype D interface {\n\t// Name tells what.\n\tName() string\n}\n",
		"domain/f/f.go": "package f\n\n// size reports how\n// many there are. It asks whether.\nfunc size() int\n\n// each reports of all\n// whether they are on.\nfunc each() []bool\n",
	}))), "domain/c/c.go:3", "domain/d/d.go:4", "domain/f/f.go:3")
}
