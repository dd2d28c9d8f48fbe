package arch_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"testing"
)

// live is the package in which flows decide.
const live = "gatehouse.internal/application/flow/live"

// deciders are the two places where flows decide (spec/flows.md section 1): the policy of the
// chain, and the step behind a proof, once for each kind of what it leads to.
func deciders() map[string][]string {
	return map[string][]string{
		"Call":        {"application/engine/execution/flows.go", "application/family/flows/admits.go"},
		"Decide":      {"application/signin/login/flow.go"},
		"DecideAlone": {"application/family/m2m/decide.go", "application/signin/login/continue.go", "application/signin/recovery/flows.go"},
	}
}

func TestFlowsDecideInTwoPlaces(t *testing.T) {
	t.Parallel()
	report(t, checkDeciders(project(t)))
}

// checkDeciders finds what calls flows elsewhere, or twice: live.Call is what the policy needs,
// and FLOW.ENABLE, which asks about its maker.
func checkDeciders(all []source) []string {
	found := map[string][]string{}
	for _, s := range all {
		name := importName(s, live)
		if s.test() || name == "" {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			used, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := used.X.(*ast.Ident); ok && of.Name == name && deciders()[used.Sel.Name] != nil {
				found[used.Sel.Name] = append(found[used.Sel.Name], s.path)
			}
			return true
		})
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(deciders())) {
		slices.Sort(found[name])
		if !slices.Equal(found[name], deciders()[name]) {
			problems = append(problems, fmt.Sprintf("live.%s is used in %q, want each of %q once", name, found[name], deciders()[name]))
		}
	}
	return problems
}

// importName is how a source calls a package; empty: it does not import it.
func importName(s source, imported string) string {
	for _, one := range s.file.Imports {
		switch p, err := strconv.Unquote(one.Path.Value); {
		case err != nil || p != imported:
		case one.Name != nil:
			return one.Name.Name
		default:
			return path.Base(p)
		}
	}
	return ""
}

func TestDeciderCheckFindsAnotherPlace(t *testing.T) {
	t.Parallel()
	call := func(name string) string {
		return "package p\n\nimport \"" + live + "\"\n\nvar x = live." + name + "\n"
	}
	files := map[string]string{}
	for name, paths := range deciders() {
		for _, p := range paths {
			files[p] = call(name)
		}
	}
	if problems := checkDeciders(sources(t, tree(files))); problems != nil {
		t.Errorf("the two places are refused: %q", problems)
	}
	files["application/family/auth/login.go"] = call("DecideAlone")
	if problems := checkDeciders(sources(t, tree(files))); len(problems) != 1 {
		t.Errorf("another place is %q, want one problem", problems)
	}
}
