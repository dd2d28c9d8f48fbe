package golden_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The requirements of each standard that the authorization server implements are in a file in
// requirements: the name of the standard, and then one line for each requirement
//
//	section | requirement | tests
//
// A test is named by its directory and its function, such as machines.TestCodeRace.
const (
	requirementsDir   = "requirements"
	requirementsGuide = "../../adapters/pages/docs/oauth-requirements.md"
)

const requirementsHead = `# OAuth and OpenID Connect conformance

This page lists the requirements (MUST and MUST NOT) of the OAuth and OpenID Connect standards for authorization servers, OpenID providers, and
protected resources. Use it to check Gatehouse against a standard you depend on: each row names the tests that verify the requirement.

A test is named by its directory and its function. Requirements with the same meaning share one row. The tables leave out requirements that:

- apply only to clients
- concern TLS, which ends in front of Gatehouse
- belong to features that Gatehouse does not offer: the implicit grant, encrypted tokens, signed UserInfo responses, signed metadata, software
  statements, DPoP nonces, and responses by postMessage

This page is generated from the lists in test/golden/requirements. ` + "`go test ./test/golden`" + ` fails if a test named here does not exist.
`

// requirement is one line of a list.
type requirement struct {
	section, must string
	tests         []string
}

// standard is one list.
type standard struct {
	name         string
	requirements []requirement
}

func readStandard(path string) (standard, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return standard{}, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	s := standard{name: lines[0]}
	for _, line := range lines[1:] {
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			return s, fmt.Errorf("%s: %q has no three parts", path, line)
		}
		s.requirements = append(s.requirements, requirement{parts[0], parts[1], strings.Split(parts[2], ", ")})
	}
	return s, nil
}

// testsOf lists the tests of the tree, as requirements name them.
func testsOf(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			if function, is := declared.(*ast.FuncDecl); is && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") {
				found[filepath.Base(filepath.Dir(path))+"."+function.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The table of requirements is current, and every test it names exists.
func TestRequirements(t *testing.T) {
	t.Parallel()
	lists, err := filepath.Glob(filepath.Join(requirementsDir, "*.txt"))
	if err != nil || len(lists) == 0 {
		t.Fatalf("no lists of requirements: %v", err)
	}
	slices.Sort(lists)
	exist := testsOf(t, "../..")
	guide := bytes.NewBufferString(requirementsHead)
	for _, path := range lists {
		s, err := readStandard(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(guide, "\n## %s\n\n| section | requirement | tests |\n|---|---|---|\n", s.name)
		for _, r := range s.requirements {
			for _, name := range r.tests {
				if !exist[name] {
					t.Errorf("%s, section %s: there is no test %s", s.name, r.section, name)
				}
			}
			fmt.Fprintf(guide, "| %s | %s | `%s` |\n", r.section, r.must, strings.Join(r.tests, "` `"))
		}
	}
	if *update {
		if err := os.WriteFile(requirementsGuide, guide.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(requirementsGuide)
	if err != nil || !bytes.Equal(stored, guide.Bytes()) {
		t.Errorf("the table of requirements is not current (%v): run `make golden`, and look at what changed", err)
	}
}
