package arch_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// signin is the package whose stages every sign-in runs.
const signin = "application/signin/login"

// numbered is a stage in the documentation of the package.
var numbered = regexp.MustCompile(`(?m)^ +\d+\. (\w+): `)

func TestSignInIsOnePipeline(t *testing.T) {
	t.Parallel()
	report(t, checkStages(project(t)))
	report(t, checkSessions(project(t)))
}

// checkStages compares the stages with the documentation of their package, finds those that are not
// the method of their name in the file of their name, and those that run outside of their slice.
func checkStages(all []source) []string {
	var problems, documented, stages []string
	methods, uses := map[string]string{}, map[string][]string{}
	for _, s := range all {
		if s.dir() != signin || s.test() {
			continue
		}
		for _, found := range numbered.FindAllStringSubmatch(s.file.Doc.Text(), -1) {
			documented = append(documented, found[1])
		}
		for _, declared := range s.file.Decls {
			f, is := declared.(*ast.FuncDecl)
			if !is || f.Body == nil || !ofService(f) {
				continue
			}
			methods[f.Name.Name] = s.path
			if f.Name.Name == "stages" {
				names, wrong := stagesOf(s, f)
				stages, problems = names, append(problems, wrong...)
				continue
			}
			for name, line := range selected(s, f) {
				uses[name] = append(uses[name], fmt.Sprintf("%s:%d", s.path, line))
			}
		}
	}
	if len(stages) == 0 || !slices.Equal(stages, documented) {
		problems = append(problems, fmt.Sprintf("%s runs the stages %q, and documents %q", signin, stages, documented))
	}
	for _, name := range stages {
		if want := signin + "/" + name + ".go"; methods[name] != want {
			problems = append(problems, fmt.Sprintf("the stage %s is in %q, want %s", name, methods[name], want))
		}
		for _, place := range uses[name] {
			problems = append(problems, fmt.Sprintf("%s runs the stage %s by itself", place, name))
		}
	}
	return problems
}

// stagesOf returns the names of the stages in their order, and finds those that are a method of
// another name.
func stagesOf(s source, f *ast.FuncDecl) (names, problems []string) {
	ast.Inspect(f.Body, func(node ast.Node) bool {
		one, is := node.(*ast.CompositeLit)
		if !is || one.Type != nil {
			return true
		}
		name, method := "", ""
		for _, element := range one.Elts {
			field, is := element.(*ast.KeyValueExpr)
			if !is {
				continue
			}
			switch value := field.Value.(type) {
			case *ast.BasicLit:
				if value.Kind == token.STRING {
					name, _ = strconv.Unquote(value.Value)
				}
			case *ast.SelectorExpr:
				method = value.Sel.Name
			}
		}
		if names = append(names, name); name != method {
			problems = append(problems, fmt.Sprintf("%s:%d: the stage %s is the method %s", s.path, s.line(one.Pos()), name, method))
		}
		return true
	})
	return names, problems
}

// ofService reports whether a function is a method of *Service, by a receiver with a name.
func ofService(f *ast.FuncDecl) bool {
	if f.Recv == nil || len(f.Recv.List[0].Names) == 0 {
		return false
	}
	pointer, is := f.Recv.List[0].Type.(*ast.StarExpr)
	if !is {
		return false
	}
	of, is := pointer.X.(*ast.Ident)
	return is && of.Name == "Service"
}

// selected are what a method uses of its receiver, with a line of each.
func selected(s source, f *ast.FuncDecl) map[string]int {
	found, receiver := map[string]int{}, f.Recv.List[0].Names[0].Name
	ast.Inspect(f.Body, func(node ast.Node) bool {
		if used, is := node.(*ast.SelectorExpr); is {
			if of, is := used.X.(*ast.Ident); is && of.Name == receiver {
				found[used.Sel.Name] = s.line(used.Pos())
			}
		}
		return true
	})
	return found
}

// checkSessions finds sessions that begin elsewhere than in the stage of that name: whoever gets a
// session has gone through all of them.
func checkSessions(all []source) []string {
	var problems []string
	for _, s := range all {
		name := importName(s, module+"/domain/session")
		if s.test() || top(s.path) == "test" || name == "" || s.path == signin+"/session.go" {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			if used, is := node.(*ast.SelectorExpr); is && used.Sel.Name == "Begin" {
				if of, is := used.X.(*ast.Ident); is && of.Name == name {
					problems = append(problems, fmt.Sprintf("%s:%d begins a session outside of the stages of a sign-in", s.path, s.line(used.Pos())))
				}
			}
			return true
		})
	}
	return problems
}

func TestStageChecksFindOtherWays(t *testing.T) {
	t.Parallel()
	const stages = "package login\n\nfunc (s *Service) stages() []stage {\n\treturn []stage{\n\t\t{name: \"proof\", do: s.proof},\n\t\t{name: \"session\", do: s.session, always: true},\n\t}\n}\n"
	right := map[string]string{
		signin + "/doc.go":     "// Package login signs in.\n//\n//  1. proof: first.\n//  2. session: then.\npackage login\n",
		signin + "/enter.go":   stages,
		signin + "/proof.go":   "package login\n\nfunc (s *Service) proof() {}\n",
		signin + "/session.go": "package login\n\nimport \"gatehouse.internal/domain/session\"\n\nfunc (s *Service) session() { session.Begin() }\n",
	}
	if problems := checkStages(sources(t, tree(right))); problems != nil {
		t.Errorf("a pipeline is refused: %q", problems)
	}
	for name, test := range map[string]struct{ path, text, want string }{
		"another order":    {signin + "/doc.go", "// Package login signs in.\n//\n//  1. session: first.\n//  2. proof: then.\npackage login\n", "documents"},
		"a missing stage":  {signin + "/enter.go", "package login\n\nfunc (s *Service) stages() []stage {\n\treturn []stage{{name: \"proof\", do: s.proof}}\n}\n", "documents"},
		"another method":   {signin + "/enter.go", strings.Replace(stages, "do: s.session", "do: s.open", 1), "the method open"},
		"another file":     {signin + "/proof.go", "package login\n", "the stage proof is in"},
		"a way around it":  {signin + "/password.go", "package login\n\nfunc (s *Service) ByPassword() { s.session() }\n", "password.go:3 runs the stage session"},
		"a way beside one": {signin + "/password.go", "package login\n\nfunc (s *Service) ByPassword() { e.proof() }\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := map[string]string{}
			for p, text := range right {
				broken[p] = text
			}
			broken[test.path] = test.text
			problems := checkStages(sources(t, tree(broken)))
			if test.want == "" && problems != nil || test.want != "" && (len(problems) != 1 || !strings.Contains(problems[0], test.want)) {
				t.Errorf("problems = %q, want %q", problems, test.want)
			}
		})
	}
	begin := "package p\n\nimport \"gatehouse.internal/domain/session\"\n\nvar x = session.Begin()\n"
	wantProblems(t, checkSessions(sources(t, tree(map[string]string{
		signin + "/session.go":                begin,
		"application/signin/sso/enter.go":     begin,
		"application/signin/sso/sso_test.go":  begin,
		"test/contract/sessions.go":           begin,
		"application/family/sessions/list.go": strings.Replace(begin, "Begin", "Restore", 1),
	}))), "application/signin/sso/enter.go:5")
}
