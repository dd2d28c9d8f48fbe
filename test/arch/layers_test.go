package arch_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer says what the packages below one top directory may import besides the
// standard library.
type layer struct {
	ours      []string // top directories
	libraries []string // import paths with what is below them
	any       bool     // every library
}

func layers() map[string]layer {
	return map[string]layer{
		"domain": {ours: []string{"domain"}},
		"ports":  {ours: []string{"domain", "ports"}},
		"application": {
			ours:      []string{"domain", "ports", "application"},
			libraries: []string{"github.com/go-json-experiment/json"},
		},
		"adapters":   {ours: []string{"domain", "ports", "adapters", "migrations"}, any: true},
		"migrations": {},
		"bootstrap":  {ours: []string{"domain", "ports", "application", "adapters", "migrations", "bootstrap"}, any: true},
	}
}

// exceptions are the packages that may use a library of pure computation.
func exceptions() map[string][]string {
	text := []string{"golang.org/x/text", "golang.org/x/net/idna"}
	return map[string][]string{
		"domain/email":                text,
		"domain/maildomain":           {"golang.org/x/net/publicsuffix"},
		"domain/password":             text,
		"application/mailing/letters": {"golang.org/x/net/html"},
		"application/engine/schema":   {"github.com/invopop/jsonschema"},
		"application/flow/order":      {"gonum.org/v1/gonum/graph"},
		"application/addresses":       {"github.com/gaissmai/bart"},
	}
}

const families = "application/family/"

// suites are what every store must do: they know a store by its ports alone.
const suites = "test/contract"

func TestLayers(t *testing.T) {
	t.Parallel()
	report(t, checkLayers(project(t)))
}

// checkLayers finds imports that the layer table or the rule of the families forbids.
func checkLayers(all []source) []string {
	var problems []string
	for _, s := range all {
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				imported = spec.Path.Value
			}
			if !mayImport(s, imported) {
				problems = append(problems, fmt.Sprintf("%s:%d imports %s", s.path, s.line(spec.Pos()), imported))
			}
		}
	}
	return problems
}

func mayImport(s source, imported string) bool {
	rule, known := layers()[top(s.path)]
	local, ours := strings.CutPrefix(imported, module+"/")
	switch {
	case s.dir() == suites:
		return top(local) != "adapters" || slices.Contains([]string{"adapters/cipher", "adapters/system"}, local)
	case !known: // the rest of test/ may import everything
		return true
	case s.test():
		return mayTestImport(s, local, ours)
	case ours && (isSibling(s.dir(), local) || isOtherRoom(s.dir(), local)):
		return false
	case ours:
		return slices.Contains(rule.ours, top(local))
	case !strings.Contains(top(imported), "."): // the standard library
		return true
	default:
		libraries := slices.Concat(rule.libraries, exceptions()[s.dir()])
		return rule.any || slices.ContainsFunc(libraries, func(library string) bool { return within(imported, library) })
	}
}

// mayTestImport holds the inner layers to their own kind; their tests need no
// fakes. Further out a test may use whatever it tests against.
func mayTestImport(s source, local string, ours bool) bool {
	layer := top(s.path)
	if layer != "domain" && layer != "ports" {
		return true
	}
	return !ours || slices.Contains(layers()[layer].ours, top(local))
}

// isSibling reports whether a family imports another one.
func isSibling(dir, local string) bool {
	from, inFamily := strings.CutPrefix(dir, families)
	to, toFamily := strings.CutPrefix(local, families)
	return inFamily && toFamily && top(from) != top(to)
}

// rooms are the packages with pages, by subject.
const rooms = "adapters/pages/"

// isOtherRoom reports whether a room imports another one. What they share is no room.
func isOtherRoom(dir, local string) bool {
	from, inRoom := strings.CutPrefix(dir, rooms)
	to, toRoom := strings.CutPrefix(local, rooms)
	return inRoom && toRoom && top(from) != top(to) && !slices.Contains([]string{"kit", "docs", "diagram"}, top(to))
}

func within(imported, library string) bool {
	return imported == library || strings.HasPrefix(imported, library+"/")
}

func TestLayerCheckFindsWhatIsForbidden(t *testing.T) {
	t.Parallel()
	file := func(imported string) string { return "package p\n\nimport _ \"" + imported + "\"\n" }
	wantProblems(t, checkLayers(sources(t, tree(map[string]string{
		"domain/user/a.go":                   file("gatehouse.internal/ports/outbound"),
		"domain/user/b.go":                   file("golang.org/x/text/cases"),
		"domain/user/c_test.go":              file("gatehouse.internal/test/fake"),
		"ports/outbound/a.go":                file("github.com/jmoiron/sqlx"),
		"application/signin/login/a.go":      file("gatehouse.internal/adapters/jose"),
		"application/signin/login/b.go":      file("github.com/invopop/jsonschema"),
		"application/family/users/a.go":      file("gatehouse.internal/application/family/sessions"),
		"adapters/jose/a.go":                 file("gatehouse.internal/application/signin/login"),
		"adapters/jose/b.go":                 file("gatehouse.internal/bootstrap"),
		"adapters/pages/door/a.go":           file("gatehouse.internal/adapters/pages/account"),
		"adapters/pages/door/ok.go":          file("gatehouse.internal/adapters/pages/kit"),
		"adapters/pages/ok.go":               file("gatehouse.internal/adapters/pages/door"),
		"bootstrap/a.go":                     file("gatehouse.internal/test/harness"),
		"migrations/a.go":                    file("github.com/pressly/goose/v3"),
		"domain/email/ok.go":                 file("golang.org/x/text/cases"),
		"domain/user/ok.go":                  file("gatehouse.internal/domain/email"),
		"domain/user/ok_test.go":             file("pgregory.net/rapid"),
		"application/engine/schema/ok.go":    file("github.com/invopop/jsonschema"),
		"application/signin/login/ok.go":     file("github.com/go-json-experiment/json/jsontext"),
		"application/family/users/ok.go":     file("gatehouse.internal/application/engine/command"),
		"application/family/users/x_test.go": file("gatehouse.internal/test/harness"),
		"adapters/jose/ok.go":                file("github.com/lestrrat-go/jwx/v2/jwk"),
		"bootstrap/ok.go":                    file("gatehouse.internal/application/family/users"),
		"test/contract/a.go":                 file("gatehouse.internal/adapters/sqlstore"),
		"test/contract/b.go":                 file("gatehouse.internal/adapters/sqlstore/people"),
		"test/contract/ok.go":                file("gatehouse.internal/adapters/cipher"),
		"test/contract/sqlports/ok.go":       file("gatehouse.internal/adapters/sqlstore"),
		"test/e2e/ok.go":                     file("gatehouse.internal/bootstrap"),
	}))),
		"domain/user/a.go", "domain/user/b.go", "domain/user/c_test.go", "ports/outbound/a.go", "application/signin/login/a.go",
		"application/signin/login/b.go", "application/family/users/a.go", "adapters/jose/a.go", "adapters/jose/b.go", "adapters/pages/door/a.go",
		"bootstrap/a.go", "migrations/a.go", "test/contract/a.go", "test/contract/b.go")
}
