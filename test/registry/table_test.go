// Package registry_test holds every command of the registry to what holds for all
// of them. Rows are the commands of the committed catalog, so that what was
// reviewed is what is kept; columns are the callers and the forms of a call:
//
//	access   who is let in: nobody, people without the permission, keys and machines
//	         with all but it and with it alone, sessions without a recent login and
//	         with something required left to do
//	params   unknown, missing and malformed parameters, and params of another type
//	foreign  ids of another workspace, which are answered as those of nothing
//	suspended  commands in a workspace that is suspended, and in one that is deleted
//	effects  dry runs, and calls repeated under an Idempotency-Key
//
// A new command joins by existing. Its calls are made of the example in its schema;
// ids and other values that must be real come from fixtures, by the name of the
// parameter or the prefix of its TypeID, and what else a few of them need from hooks.
// A family's own tests show what is its own.
package registry_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

// row is a command as the committed catalog describes it.
type row struct {
	inbound.Descriptor

	properties map[string]P
	required   []string
	example    P
}

// public reports whether the command needs no credential.
func (r row) public() bool { return r.Access == "public" }

// permission is the permission or scope that the command asks for, or "".
func (r row) permission() string {
	for _, kind := range []string{"permission:", "client:"} {
		if name, found := strings.CutPrefix(r.Access, kind); found {
			return name
		}
	}
	return ""
}

// here is the example without the workspace that it names: who does not belong there learns
// nothing of it, and not of the command either.
func (r row) here() P { return changed(r.example, P{"org_id": nil}) }

// takes reports whether callers of a kind may be let in.
func (r row) takes(kind access.Kind) bool { return slices.Contains(r.Callers, string(kind)) }

// changed is a copy of parameters with changes; a nil takes one away.
func changed(params, changes P) P {
	copied := maps.Clone(params)
	for name, value := range changes {
		if copied[name] = value; value == nil {
			delete(copied, name)
		}
	}
	return copied
}

// with is a copy of parameters with one set, to whatever it is.
func with(params P, name string, value any) P {
	copied := maps.Clone(params)
	copied[name] = value
	return copied
}

// table reads the rows, and fails the test unless the service has these commands.
func table(t *testing.T, h *harness.Service) []row {
	t.Helper()
	files, err := filepath.Glob("../golden/catalog/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, file := range files {
		rows = append(rows, read(t, file)...)
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.Name, b.Name) })
	wired := h.Engine.Catalog()
	if !slices.EqualFunc(rows, wired, func(r row, d inbound.Descriptor) bool { return r.Name == d.Name }) {
		t.Fatal("the committed catalog does not list the commands of the registry: run `make golden`")
	}
	return rows
}

func read(t *testing.T, file string) []row {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Commands []row }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
	return document.Commands
}

// UnmarshalJSON reads an entry of the catalog.
func (r *row) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &r.Descriptor); err != nil {
		return err
	}
	var schema struct {
		Properties map[string]P
		Required   []string
	}
	if err := json.Unmarshal(r.Params, &schema); err != nil {
		return err
	}
	r.properties, r.required = schema.Properties, schema.Required
	var body struct{ Params P }
	err := json.Unmarshal(r.Example, &body)
	r.example = body.Params
	return err
}

// unlimited lifts the limits over all commands of one credential and over apps: a column calls
// every command by one.
func unlimited(root *harness.Actor) {
	root.Do("RATE_LIMIT.SET", P{"command": "*", "key": "token", "limit": 1_000_000, "window_seconds": 60}).OK()
	root.Do("SETTINGS.SET", P{"values": P{"max_apps": 1_000_000}}).OK()
}
