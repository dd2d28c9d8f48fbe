package arch_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// catalog has one file for each family.
const catalog = "test/golden/catalog/"

// fileOf is the one file of a command, given the package of each family. An action
// that ends in _TEST gets a suffix, because Go would take the file for a test.
func fileOf(command string, packages map[string]string) (string, error) {
	family, action, _ := strings.Cut(command, ".")
	dir, known := packages[family]
	if !known {
		return "", fmt.Errorf("%s: no package below %s declares the family %s", command, families, family)
	}
	name := strings.ToLower(action)
	if strings.HasSuffix(name, "_test") {
		name += "_command"
	}
	return dir + "/" + name + ".go", nil
}

// packagesOf finds the package of each family of commands: the one whose files
// declare them. It finds families of several packages and packages of several
// families, too.
func packagesOf(byFile map[string][]string) (packages map[string]string, problems []string) {
	packages = map[string]string{}
	owners := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		dir := path.Dir(file)
		for _, name := range byFile[file] {
			family, _, _ := strings.Cut(name, ".")
			if packages[family] == "" {
				packages[family] = dir
			}
			if owners[dir] == "" {
				owners[dir] = family
			}
			if packages[family] != dir || owners[dir] != family {
				problems = append(problems, fmt.Sprintf("%s declares %s: a family is one package, and a package one family", file, name))
			}
		}
	}
	return packages, problems
}

func TestOneCommandOneFile(t *testing.T) {
	t.Parallel()
	names, err := cataloged(os.DirFS(root(t)))
	if err != nil {
		t.Fatalf("read the catalog: %v (`make golden` writes it)", err)
	}
	report(t, checkCommands(names, declared(project(t))))
}

// cataloged returns the names in the committed catalog.
func cataloged(tree fs.FS) ([]string, error) {
	files, err := fs.Glob(tree, catalog+"*.json")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		listed, err := listedIn(tree, file)
		if err != nil {
			return nil, err
		}
		names = append(names, listed...)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s lists no commands", catalog)
	}
	return names, nil
}

// listedIn returns the names in one file of the catalog.
func listedIn(tree fs.FS, file string) ([]string, error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	var document struct {
		Commands []struct {
			Name string `json:"name"`
		} `json:"commands"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var names []string
	for _, command := range document.Commands {
		names = append(names, command.Name)
	}
	return names, nil
}

// declared returns, for every file that declares commands, their names: the Name
// fields of composite literals that are command names.
func declared(all []source) map[string][]string {
	found := map[string][]string{}
	for _, s := range all {
		if s.test() || !strings.HasPrefix(s.path, families) {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			if name := declaration(node); name != "" {
				found[s.path] = append(found[s.path], name)
			}
			return true
		})
	}
	return found
}

var commandName = regexp.MustCompile(`^[A-Z0-9_]+\.[A-Z0-9_]+$`)

func declaration(node ast.Node) string {
	field, ok := node.(*ast.KeyValueExpr)
	if !ok {
		return ""
	}
	key, ok := field.Key.(*ast.Ident)
	if !ok || key.Name != "Name" {
		return ""
	}
	value, ok := field.Value.(*ast.BasicLit)
	if !ok || value.Kind != token.STRING {
		return ""
	}
	name, err := strconv.Unquote(value.Value)
	if err != nil || !commandName.MatchString(name) {
		return ""
	}
	return name
}

// checkCommands finds cataloged commands that are not alone in the file of
// their name, and declared ones which the catalog lacks.
func checkCommands(names []string, byFile map[string][]string) []string {
	packages, problems := packagesOf(byFile)
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
		file, err := fileOf(name, packages)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if found := byFile[file]; len(found) != 1 || found[0] != name {
			problems = append(problems, fmt.Sprintf("%s declares %q, want %s alone", file, found, name))
		}
	}
	for file, found := range byFile {
		for _, name := range found {
			if !known[name] {
				problems = append(problems, fmt.Sprintf("%s declares %s, which %s lacks", file, name, catalog))
			}
		}
	}
	return problems
}

// declaring is the text of a file that declares commands.
func declaring(names ...string) string {
	text := "package p\n"
	for i, name := range names {
		text += fmt.Sprintf("\nvar c%d = command.Define(command.Spec[P, R]{Name: %q})\n", i, name)
	}
	return text
}

func TestPackagesOf(t *testing.T) {
	t.Parallel()
	packages, problems := packagesOf(declared(sources(t, tree(map[string]string{
		families + "sessions/list.go":      declaring("SESSION.LIST"),
		families + "sessions/revoke.go":    declaring("SESSION.REVOKE"),
		families + "sessions/zombie.go":    declaring("ZOMBIE.LIST"),
		families + "users/get.go":          declaring("USER.GET"),
		families + "users/more/list.go":    declaring("USER.LIST"),
		families + "users/get_test.go":     declaring("TEST.GET"),
		"application/engine/lab/lab_go.go": declaring("LAB.ECHO"),
	}))))
	want := map[string]string{"SESSION": families + "sessions", "USER": families + "users", "ZOMBIE": families + "sessions"}
	if !maps.Equal(packages, want) {
		t.Errorf("packagesOf() = %q, want %q", packages, want)
	}
	wantProblems(t, problems, "sessions/zombie.go declares ZOMBIE.LIST", "users/more/list.go declares USER.LIST")
}

func TestCommandCheckFindsMisplacedCommands(t *testing.T) {
	t.Parallel()
	dir := tree(map[string]string{
		catalog + "session.json":                  `{"commands": [{"name": "SESSION.LIST"}, {"name": "SESSION.REVOKE_ALL"}]}`,
		catalog + "user.json":                     `{"commands": [{"name": "USER.GET"}, {"name": "USER.ME"}]}`,
		catalog + "audit.json":                    `{"commands": [{"name": "AUDIT.STREAM_TEST"}]}`,
		catalog + "strange.json":                  `{"commands": [{"name": "STRANGE.THING"}]}`,
		families + "sessions/list.go":             declaring("SESSION.LIST"),
		families + "sessions/sessions.go":         declaring("SESSION.REVOKE_ALL"),
		families + "users/get.go":                 declaring("USER.GET", "USER.OTHER"),
		families + "users/me.go":                  "package p\n",
		families + "audit/stream_test_command.go": declaring("AUDIT.STREAM_TEST"),
	})
	names, err := cataloged(dir)
	if err != nil {
		t.Fatalf("cataloged() = %v", err)
	}
	wantProblems(t, checkCommands(names, declared(sources(t, dir))),
		"sessions/revoke_all.go", "users/get.go declares [", "users/me.go", "STRANGE", "users/get.go declares USER.OTHER")
	for _, text := range []string{"", "{}", `{"commands": []}`} {
		if names, err := cataloged(tree(map[string]string{catalog + "a.json": text})); err == nil {
			t.Errorf("cataloged(%q) = %q, want an error", text, names)
		}
	}
	if _, err := cataloged(tree(nil)); err == nil {
		t.Error("cataloged() without a catalog = nil, want an error")
	}
}
