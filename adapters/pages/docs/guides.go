package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

// guide is a Markdown file. Its first line is its title.
type guide struct {
	Name, Title string

	body func() (template.HTML, error)
}

// Path returns the path of the page.
func (g guide) Path() string {
	if g.Name == "index" {
		return Path
	}
	return Path + "/" + g.Name
}

// guides are all guides, in navigation order.
type guides struct{ all []guide }

// order lists the guides in navigation order.
func order() []string {
	return []string{"index", "start", "accounts", "protect-an-api", "log-your-users-in", "call-your-own-api", "oauth-clients", "oauth-requirements", "workspaces", "roles", "relations", "license-your-software", "sell-it", "addresses-and-risk", "act-as-a-person", "decide-who-gets-in", "webhooks", "jobs", "openapi", "command-line", "configuration", "operations"}
}

func newGuides() guides {
	var g guides
	for _, name := range order() {
		text, err := embedded.ReadFile(name + ".md")
		if err != nil {
			continue // TestEveryGuideIsListed fails for it.
		}
		first, _, _ := strings.Cut(string(text), "\n")
		g.all = append(g.all, guide{
			Name: name, Title: strings.TrimPrefix(first, "# "),
			body: sync.OnceValues(func() (template.HTML, error) { return render(text) }),
		})
	}
	return g
}

func (g guides) named(name string) (guide, bool) {
	for _, one := range g.all {
		if one.Name == name {
			return one, true
		}
	}
	return guide{}, false
}

// Markdown converts the description of a command to HTML; empty for an empty one.
func Markdown(text string) (template.HTML, error) { return render([]byte(text)) }

// render converts Markdown to HTML. Links between guides name files, so that they work
// in the repository, and are rewritten to paths.
func render(text []byte) (template.HTML, error) {
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	var html bytes.Buffer
	if err := markdown.Convert(text, &html); err != nil {
		return "", fmt.Errorf("render a guide: %w", err)
	}
	linked := html.String()
	for _, name := range order() {
		linked = strings.ReplaceAll(linked, `href="`+name+`.md`, `href="`+Path+"/"+name)
	}
	return template.HTML(linked), nil //nolint:gosec // the text is part of the program
}
