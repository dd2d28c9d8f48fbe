package arch_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const catalogue = "test/golden/catalog.json"

// packages names the package of each family of commands. A family is plural
// where it manages things, as its commands' reader would say it.
func packages() map[string]string {
	return map[string]string{
		"API_KEY": "apikeys", "APP": "apps", "AUTH": "auth", "DPOP": "dpop", "WEBAUTHN": "passkeys", "M2M": "m2m", "USER": "users", "SESSION": "sessions", "JWT_KEY": "jwtkeys", "ROLE": "roles",
		"PERMISSION": "permissions", "RATE_LIMIT": "ratelimits", "POLICY": "policies", "AUDIT": "audit",
		"MFA":    "factors",
		"DEVICE": "devices", "NOTIFICATION": "notifications", "RISK": "risk", "BRANDING": "branding",
		"EMAIL": "emails", "EVENT": "events", "SETTINGS": "settings", "SOCIAL": "social", "REGISTRY": "registry", "SYSTEM": "system",
	}
}

// fileOf is the one file of a command. An action that ends in _TEST gets a
// suffix, because Go would take the file for a test.
func fileOf(command string) (string, error) {
	family, action, _ := strings.Cut(command, ".")
	dir, known := packages()[family]
	if !known {
		return "", fmt.Errorf("%s: name the package of the family %s in packages()", command, family)
	}
	name := strings.ToLower(action)
	if strings.HasSuffix(name, "_test") {
		name += "_command"
	}
	return families + dir + "/" + name + ".go", nil
}

func TestOneCommandOneFile(t *testing.T) {
	t.Parallel()
	names, err := catalogued(os.DirFS(root(t)))
	if err != nil {
		t.Fatalf("read the catalogue: %v (`make golden` writes it)", err)
	}
	report(t, checkCommands(names, declared(project(t))))
}

// catalogued are the names in the committed catalogue.
func catalogued(tree fs.FS) ([]string, error) {
	text, err := fs.ReadFile(tree, catalogue)
	if err != nil {
		return nil, err
	}
	var document struct {
		Commands []struct {
			Name string `json:"name"`
		} `json:"commands"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Commands) == 0 {
		return nil, fmt.Errorf("%s lists no commands", catalogue)
	}
	var names []string
	for _, command := range document.Commands {
		names = append(names, command.Name)
	}
	return names, nil
}

// declared gives, for every file that declares commands, their names: the Name
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

// checkCommands finds catalogued commands that are not alone in the file of
// their name, and declared ones which the catalogue lacks.
func checkCommands(names []string, byFile map[string][]string) []string {
	var problems []string
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
		file, err := fileOf(name)
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
				problems = append(problems, fmt.Sprintf("%s declares %s, which %s lacks", file, name, catalogue))
			}
		}
	}
	return problems
}

func TestCommandCheckFindsMisplacedCommands(t *testing.T) {
	t.Parallel()
	spec := func(names ...string) string {
		text := "package p\n"
		for i, name := range names {
			text += fmt.Sprintf("\nvar c%d = command.Define(command.Spec[P, R]{Name: %q})\n", i, name)
		}
		return text
	}
	dir := tree(map[string]string{
		catalogue: `{"commands": [{"name": "SESSION.LIST"}, {"name": "SESSION.REVOKE_ALL"}, {"name": "USER.GET"},
			{"name": "USER.ME"}, {"name": "AUDIT.STREAM_TEST"}, {"name": "STRANGE.THING"}]}`,
		families + "sessions/list.go":             spec("SESSION.LIST"),
		families + "sessions/sessions.go":         spec("SESSION.REVOKE_ALL"),
		families + "users/get.go":                 spec("USER.GET", "USER.OTHER"),
		families + "users/me.go":                  "package p\n",
		families + "audit/stream_test_command.go": spec("AUDIT.STREAM_TEST"),
	})
	names, err := catalogued(dir)
	if err != nil {
		t.Fatalf("catalogued() = %v", err)
	}
	wantProblems(t, checkCommands(names, declared(sources(t, dir))),
		"sessions/revoke_all.go", "users/get.go declares [", "users/me.go", "STRANGE", "users/get.go declares USER.OTHER")
	for _, text := range []string{"", "{}", `{"commands": []}`} {
		if names, err := catalogued(tree(map[string]string{catalogue: text})); err == nil {
			t.Errorf("catalogued(%q) = %q, want an error", text, names)
		}
	}
	if _, err := catalogued(tree(nil)); err == nil {
		t.Error("catalogued() without a catalogue = nil, want an error")
	}
}
