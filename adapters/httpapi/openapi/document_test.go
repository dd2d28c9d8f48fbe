package openapi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/adapters/httpapi/openapi"
	"gatehouse.internal/ports/inbound"
)

// committed returns the commands of the committed catalog.
func committed(t *testing.T) []inbound.Descriptor {
	t.Helper()
	files, err := filepath.Glob("../../../test/golden/catalog/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("find the catalog: %d files, %v", len(files), err)
	}
	var all []inbound.Descriptor
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var family struct {
			Commands []inbound.Descriptor `json:"commands"`
		}
		if err := json.Unmarshal(raw, &family); err != nil {
			t.Fatalf("read %s: %v", name, err)
		}
		all = append(all, family.Commands...)
	}
	return all
}

// document returns the description of commands as a client reads it.
func document(t *testing.T, commands []inbound.Descriptor) map[string]any {
	t.Helper()
	described, err := openapi.Document(openapi.Source{Issuer: "https://id.example.com", Version: "v1", Commands: commands})
	if err != nil {
		t.Fatal(err)
	}
	return read(t, described)
}

func read(t *testing.T, value any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// at returns the value at a path of names, or nil.
func at(value any, names ...string) any {
	for _, name := range names {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	return value
}

func TestEveryCommandIsAnOperation(t *testing.T) {
	t.Parallel()
	commands := committed(t)
	doc := document(t, commands)
	ids := map[string]string{}
	for path, item := range doc["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			id, _ := at(operation, "operationId").(string)
			if other, twice := ids[id]; twice || id == "" {
				t.Errorf("%s %s has the operationId %q of %s", method, path, id, other)
			}
			ids[id] = path
		}
	}
	for _, d := range commands {
		operation := at(doc, "paths", "/api/v1/execute/"+d.Name, "post")
		if operation == nil {
			t.Errorf("%s has no operation", d.Name)
			continue
		}
		var params, result map[string]any
		if json.Unmarshal(d.Params, &params) != nil || json.Unmarshal(d.Result, &result) != nil {
			t.Fatalf("%s: the catalog has no schemas", d.Name)
		}
		body := at(operation, "requestBody", "content", "application/json")
		if !same(at(body, "schema", "properties"), params["properties"]) || !same(at(body, "schema", "required"), params["required"]) {
			t.Errorf("%s: the body is not that of its parameters", d.Name)
		}
		if required, _ := at(operation, "requestBody", "required").(bool); required != (params["required"] != nil) {
			t.Errorf("%s: body required = %v, want %v", d.Name, required, !required)
		}
		data := at(operation, "responses", "200", "content", "application/json", "schema", "properties", "data")
		if !same(at(data, "required"), result["required"]) || !same(at(data, "type"), result["type"]) {
			t.Errorf("%s: data is not its result", d.Name)
		}
		if example := at(body, "example"); example == nil {
			t.Errorf("%s has no example", d.Name)
		}
		if at(operation, "x-effect") != d.Effect {
			t.Errorf("%s: x-effect = %v, want %s", d.Name, at(operation, "x-effect"), d.Effect)
		}
	}
}

func same(a, b any) bool {
	one, err := json.Marshal(a)
	if err != nil {
		return false
	}
	other, err := json.Marshal(b)
	return err == nil && string(one) == string(other)
}

func TestReferencesResolve(t *testing.T) {
	t.Parallel()
	doc := document(t, committed(t))
	found := 0
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if target, is := v["$ref"].(string); is {
				found++
				if names := strings.Split(strings.TrimPrefix(target, "#/"), "/"); at(doc, names...) == nil {
					t.Errorf("%s leads nowhere", target)
				}
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(doc)
	if found == 0 {
		t.Error("the document has no references")
	}
}

func TestOperation(t *testing.T) {
	t.Parallel()
	command := func(change func(*inbound.Descriptor)) inbound.Descriptor {
		d := inbound.Descriptor{
			Name: "TEAM.DOMAIN_ADD", Family: "TEAM", Summary: "Add a domain.", Access: "permission:domains:write", Callers: []string{"session", "delegated"},
			Effect: "store",
			Params: json.RawMessage(`{"$schema":"s","type":"object","required":["domain"]}`), Result: json.RawMessage(`{"type":"object","properties":{"a":{}}}`),
			Example: json.RawMessage(`{"command":"TEAM.DOMAIN_ADD","params":{"domain":"example.com"}}`),
		}
		change(&d)
		return d
	}
	operation := func(d inbound.Descriptor) any {
		return at(document(t, []inbound.Descriptor{d}), "paths", "/api/v1/execute/"+d.Name, "post")
	}
	statuses := func(operation any) []string {
		var found []string
		for status := range at(operation, "responses").(map[string]any) {
			found = append(found, status)
		}
		slices.Sort(found)
		return found
	}
	full := operation(command(func(d *inbound.Descriptor) { d.Errors = append(d.Errors, "AUTH_ERROR", "PERMISSION_DENIED") }))
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"operationId", at(full, "operationId"), "teamDomainAdd"},
		{"permission", at(full, "x-permission"), "domains:write"},
		{"summary", at(full, "summary"), "Add a domain"},
		{"dialect", at(full, "requestBody", "content", "application/json", "schema", "$schema"), nil},
		{"example", at(full, "requestBody", "content", "application/json", "example"), map[string]any{"domain": "example.com"}},
		{"security", at(full, "security"), []any{map[string]any{"bearer": []any{}}, map[string]any{"dpop": []any{}}, map[string]any{"openId": []any{"domains:write"}}}},
		{"scope", at(operation(command(func(d *inbound.Descriptor) { d.Access, d.Scope = "user", "own:read" })), "security").([]any)[2], map[string]any{"openId": []any{"own:read"}}},
		{"statuses", statuses(full), []string{"200", "400", "401", "403", "413", "415", "429", "500", "503"}},
		{"headers of a write", len(at(full, "parameters").([]any)), 3},
		{"dry run", at(full, "responses", "200", "content", "application/json", "schema", "properties", "data", "properties", "dry_run", "$ref"), "#/components/schemas/DryRun"},
		{"headers of a read", len(at(operation(command(func(d *inbound.Descriptor) { d.Effect = "none" })), "parameters").([]any)), 1},
		{"headers beyond the store", len(at(operation(command(func(d *inbound.Descriptor) { d.Effect = "outside" })), "parameters").([]any)), 2},
		{"security of a public command", at(operation(command(func(d *inbound.Descriptor) { d.Access, d.Callers = "public", nil })), "security"), []any{map[string]any{}}},
	} {
		if !same(c.got, c.want) {
			t.Errorf("%s = %v, want %v", c.what, c.got, c.want)
		}
	}
}

// The endpoints of a protocol are listed together with the command behind them.
func TestProtocols(t *testing.T) {
	t.Parallel()
	all, none := document(t, committed(t)), document(t, nil)
	for path, command := range map[string]bool{
		"/oauth/token": true, "/oauth/userinfo": true, "/ofrep/v1/evaluate/flags/{key}": true, "/health": false, "/api/v1/execute": false,
	} {
		if at(all, "paths", path) == nil || (at(none, "paths", path) == nil) != command {
			t.Errorf("%s: listed %v, without commands %v", path, at(all, "paths", path) != nil, at(none, "paths", path) != nil)
		}
	}
	key := at(all, "paths", "/ofrep/v1/evaluate/flags/{key}", "post", "parameters").([]any)[0]
	if at(key, "name") != "key" || at(key, "required") != true {
		t.Errorf("parameter = %v", key)
	}
	form := at(all, "paths", "/oauth/token", "post", "requestBody", "content", "application/x-www-form-urlencoded", "schema")
	if !same(at(form, "required"), []string{"grant_type"}) || at(form, "properties", "client_assertion") == nil {
		t.Errorf("form = %v", form)
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	source := openapi.Source{
		Issuer: "https://id.example.com", Version: "v1", Commands: committed(t),
		Events: []inbound.KindDescriptor{{Type: "user.created", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
	bundle, err := openapi.Schemas(source)
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, bundle)
	if got["$id"] != "https://id.example.com/api/v1/schemas.json" {
		t.Errorf("$id = %v", got["$id"])
	}
	if want := 2*len(source.Commands) + 1; len(got["$defs"].(map[string]any)) != want {
		t.Errorf("%d schemas, want %d", len(got["$defs"].(map[string]any)), want)
	}
	source.Events[0].Schema = json.RawMessage(`[]`)
	if _, err := openapi.Schemas(source); err == nil {
		t.Error("a schema that is no object was taken")
	}
}
