package arch_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestEveryDeclaredEventIsEmitted(t *testing.T) {
	t.Parallel()
	report(t, checkEmitted(project(t)))
}

// checkEmitted finds contents of events, which are types of the domain with a method Kind, that
// no code makes but the list of events for the catalog.
func checkEmitted(all []source) []string {
	made := map[string]bool{}
	for _, s := range all {
		if s.test() || top(s.path) == "test" {
			continue
		}
		for _, declared := range s.file.Decls {
			if f, is := declared.(*ast.FuncDecl); is && f.Recv == nil && f.Name.Name == "Events" {
				continue
			}
			ast.Inspect(declared, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.CompositeLit:
					made[typeName(s, node.Type)] = true
				case *ast.CallExpr: // a conversion looks like a call
					made[typeName(s, node.Fun)] = true
				}
				return true
			})
		}
	}
	var problems []string
	for _, s := range all {
		if s.test() || top(s.path) != "domain" {
			continue
		}
		for _, declared := range s.file.Decls {
			f, is := declared.(*ast.FuncDecl)
			if !is || f.Name.Name != "Kind" || f.Recv == nil || len(f.Recv.List) != 1 {
				continue
			}
			if kind := f.Type.Results.List[0].Type; typeName(s, kind) != "event.Kind" {
				continue
			}
			of, is := f.Recv.List[0].Type.(*ast.Ident)
			if is && !made[path.Base(s.dir())+"."+of.Name] {
				problems = append(problems, fmt.Sprintf("%s:%d declares the event %s, which is emitted nowhere", s.path, s.line(f.Pos()), of.Name))
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// typeName is the package and name of a type as a source writes it, or empty.
func typeName(s source, of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		return path.Base(s.dir()) + "." + of.Name
	case *ast.SelectorExpr:
		from, is := of.X.(*ast.Ident)
		if !is {
			return ""
		}
		for _, imported := range s.file.Imports {
			if imported.Name != nil && imported.Name.Name == from.Name {
				return path.Base(strings.Trim(imported.Path.Value, `"`)) + "." + of.Sel.Name
			}
		}
		return from.Name + "." + of.Sel.Name
	}
	return ""
}

func TestEmittedCheckFindsWhatIsOnlyDeclared(t *testing.T) {
	t.Parallel()
	wantProblems(t, checkEmitted(sources(t, tree(map[string]string{
		"domain/thing/events.go": `package thing
			type Made struct{}
			type Lost struct{}
			func (Made) Kind() event.Kind { return "" }
			func (Lost) Kind() event.Kind { return "" }
			func Events() []any { return []any{Made{}, Lost{}} }`,
		"application/thing.go":      "package application\nvar _ = thing.Made{}",
		"application/thing_test.go": "package application\nvar _ = thing.Lost{}",
	}))), "domain/thing/events.go:5")
}
