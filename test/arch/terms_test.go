package arch_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// term is what people read by one word everywhere, and how it is not said.
type term struct {
	said string
	not  *regexp.Regexp
}

// terms are the words of pages, mails, messages and descriptions.
func terms() []term {
	return []term{
		{"sign in", regexp.MustCompile(`(?i)\blog(s|ged|ging)?( it| you| them)? (in|out)\b`)},
		{"email", regexp.MustCompile(`(?i)\be-mail`)},
	}
}

// action is what a template puts in, and markup what it puts around texts.
var (
	action = regexp.MustCompile(`\{\{[^}]*\}\}`)
	markup = regexp.MustCompile(`<[^>]*>`)
)

func TestTerms(t *testing.T) {
	t.Parallel()
	dir := root(t)
	report(t, checkTermsInCode(project(t)))
	report(t, checkTermsInTemplates(readable(t, os.DirFS(dir), projectFiles(t, dir))))
}

// checkTermsInCode looks at the texts of the program.
func checkTermsInCode(all []source) []string {
	var problems []string
	for _, s := range all {
		if _, ofProgram := layers()[top(s.path)]; !ofProgram || s.test() {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			if text, is := node.(*ast.BasicLit); is && text.Kind == token.STRING {
				for _, wrong := range misnamed(text.Value) {
					problems = append(problems, fmt.Sprintf("%s:%d says %s", s.path, s.line(text.Pos()), wrong))
				}
			}
			return true
		})
	}
	return problems
}

// checkTermsInTemplates looks at pages and mails, without actions and markup.
func checkTermsInTemplates(texts map[string]string) []string {
	var problems []string
	for p, text := range texts {
		if _, ofProgram := layers()[top(p)]; !ofProgram || (path.Ext(p) != ".html" && path.Ext(p) != ".txt") {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			for _, wrong := range misnamed(markup.ReplaceAllString(action.ReplaceAllString(line, ""), "")) {
				problems = append(problems, fmt.Sprintf("%s:%d says %s", p, i+1, wrong))
			}
		}
	}
	return problems
}

// misnamed lists what is said of a text by another word.
func misnamed(text string) []string {
	var wrong []string
	for _, one := range terms() {
		if found := one.not.FindString(text); found != "" {
			wrong = append(wrong, fmt.Sprintf("%q, not %q", found, one.said))
		}
	}
	return wrong
}

func TestTermChecksFindOtherWords(t *testing.T) {
	t.Parallel()
	wantProblems(t, checkTermsInCode(sources(t, tree(map[string]string{
		"domain/a/a.go":      "package a\n\nvar x = \"please log in again\"\n",
		"domain/b/b.go":      "package b\n\n// Who logs in.\nvar Email, y = `json:\"email\" doc:\"Sign in.\"`, \"its log is in use\"\n",
		"application/c/c.go": "package c\n\nvar x = \"Your e-mail address\"\n",
		"test/d/d.go":        "package d\n\nvar x = \"logged in\"\n",
		"domain/a/a_test.go": "package a_test\n\nvar x = \"logged in\"\n",
	}))), "domain/a/a.go:3", "application/c/c.go:3")
	wantProblems(t, checkTermsInTemplates(map[string]string{
		"adapters/pages/a.html": "<p>{{.Email}}</p>\n<label for=\"Email\">E-mail</label>",
		"adapters/pages/b.txt":  "Logged out.",
		"adapters/pages/c.md":   "Log in",
		"README.md":             "Log in",
	}), "adapters/pages/a.html:2", "adapters/pages/b.txt:1")
}
