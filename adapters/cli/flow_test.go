package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gatehouse.internal/adapters/cli"
	"gatehouse.internal/ports/inbound"
)

// flows returns the commands used by gatehouse flow.
func flows() []inbound.Descriptor {
	of := func(name, properties string) inbound.Descriptor {
		return inbound.Descriptor{
			Name: name, Family: "FLOW", Summary: "Of flows.", Access: "permission:flows:write", Effect: "store",
			Params: json.RawMessage(`{"type":"object","properties":` + properties + `}`), Result: json.RawMessage(`{"type":"object"}`),
			Example: json.RawMessage(`{"command":"` + name + `","params":{}}`),
		}
	}
	return []inbound.Descriptor{
		of("FLOW.EXPORT", `{"format":{"type":"string"},"names":{"type":"array","items":{"type":"string"}}}`),
		of("FLOW.IMPORT", `{"document":{"oneOf":[{"type":"object"},{"type":"string"}]},"on_conflict":{"type":"string"},"force":{"type":"boolean"}}`),
		of("FLOW.TEST", `{"name":{"type":"string"},"scope":{"type":"string"},"version":{"type":"integer"},"context":{"type":"object"},"mocks":{"type":"object"}}`),
		of("FLOW.DISABLE", `{"name":{"type":"string"},"scope":{"type":"string"}}`),
	}
}

// flowing returns a session with flows as its catalog.
func flowing(in string) session { return session{in: in, program: cli.Program{Catalog: flows}} }

// answered returns a successful envelope.
func answered(data string) string {
	return `{"ok":true,"command":"X","data":` + data + `,"error":null}`
}

func TestFlowExport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document string
		args     []string
		body     string
		out      string
	}{
		"yaml":  {`"version: 1\nflows: []\n"`, nil, `{"format":"yaml"}`, "version: 1\nflows: []\n"},
		"json":  {`{"version":1}`, []string{"--format", "json"}, `{"format":"json"}`, "{\n  \"version\": 1\n}\n"},
		"named": {`"version: 1\n"`, []string{"a", "b"}, `{"format":"yaml","names":["a","b"]}`, "version: 1\n"},
	} {
		s := newService(t, 200, answered(`{"document":`+c.document+`}`))
		got := flowing("").run(t, append([]string{"flow", "export", "--url", s.url, "--token", "t"}, c.args...)...)
		if got != (outcome{0, c.out, ""}) {
			t.Errorf("%s = %+v", name, got)
		}
		if want := `POST /api/v1/execute {"command":"FLOW.EXPORT","params":` + c.body + `}`; s.bodies[0] != want {
			t.Errorf("%s sent %s", name, s.bodies[0])
		}
	}
	const no = `{"ok":false,"command":"X","data":null,"error":{"code":"NOT_FOUND","message":"no such flow"}}`
	s := newService(t, 404, no)
	if got := flowing("").run(t, "flow", "export", "--url", s.url); got != (outcome{1, no + "\n", ""}) {
		t.Errorf("refused = %+v", got)
	}
}

func TestFlowImport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "flows.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nflows: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const done, wrong = `{"created":["a"],"updated":[],"problems":[]}`, `{"created":[],"updated":[],"problems":[{"path":"/document","message":"no"}]}`
	s := newService(t, 200, answered(done))
	if got := flowing("").run(t, "flow", "import", file, "--on-conflict=replace", "--force", "--url", s.url); got != (outcome{0, answered(done) + "\n", ""}) {
		t.Errorf("import = %+v", got)
	}
	if want := `POST /api/v1/execute {"command":"FLOW.IMPORT","params":{"document":"version: 1\nflows: []","on_conflict":"replace","force":true}}`; s.bodies[0] != want {
		t.Errorf("sent %s", s.bodies[0])
	}
	if got := flowing(`{"version":1}`).run(t, "flow", "import", "-", "--url", s.url); got.code != 0 {
		t.Errorf("import of standard input = %+v", got)
	}
	if want := `POST /api/v1/execute {"command":"FLOW.IMPORT","params":{"document":{"version":1},"on_conflict":"fail","force":false}}`; s.bodies[1] != want {
		t.Errorf("sent %s", s.bodies[1])
	}
	refused := newService(t, 200, answered(wrong))
	if got := flowing("").run(t, "flow", "import", file, "--url", refused.url); got != (outcome{1, answered(wrong) + "\n", ""}) {
		t.Errorf("a document with problems = %+v, want a failure", got)
	}
}

func TestFlowTest(t *testing.T) {
	t.Parallel()
	s := newService(t, 200, fine)
	got := flowing(`{"ip":{"address":"192.0.2.7"}}`).run(t, "flow", "test", "office", "--scope", "instance", "--context", "@-", "--flow-version=2", "--url", s.url)
	if got != (outcome{0, fine + "\n", ""}) {
		t.Errorf("test = %+v", got)
	}
	want := `POST /api/v1/execute {"command":"FLOW.TEST","params":{"name":"office","scope":"instance","context":{"ip":{"address":"192.0.2.7"}},"mocks":{},"version":2}}`
	if s.bodies[0] != want {
		t.Errorf("sent %s", s.bodies[0])
	}
}

// The flow is disabled by the service if one is named, else in the store.
func TestFlowDisable(t *testing.T) {
	t.Parallel()
	s := newService(t, 200, fine)
	var lifted []string
	program := cli.Program{Catalog: flows, DisableFlow: func(_ context.Context, org, name string) error {
		lifted = append(lifted, org+"/"+name)
		if name == "none" {
			return errors.New("no such flow")
		}
		return nil
	}}
	const off = "disabled the flow shut, starting with the next request\n"
	for _, c := range []struct {
		env    map[string]string
		args   []string
		want   outcome
		lifted string
		sent   string
	}{
		{nil, []string{"shut"}, outcome{0, off, ""}, "/shut", ""},
		{nil, []string{"shut", "--scope=instance"}, outcome{0, off, ""}, "/shut", ""},
		{nil, []string{"shut", "--org=org_1"}, outcome{0, off, ""}, "org_1/shut", ""},
		{nil, []string{"none"}, outcome{1, "", "gatehouse: disable the flow none: no such flow\n"}, "/none", ""},
		{nil, []string{"shut", "--scope=workspace"}, outcome{2, "", "gatehouse: set --org for a flow of a workspace, and omit it for a flow of the instance\n"}, "", ""},
		{nil, []string{"shut", "--scope=instance", "--org=org_1"}, outcome{2, "", "gatehouse: set --org for a flow of a workspace, and omit it for a flow of the instance\n"}, "", ""},
		{nil, []string{"shut", "--url", s.url}, outcome{0, fine + "\n", ""}, "", `{"name":"shut"}`},
		{map[string]string{"GATEHOUSE_URL": s.url}, []string{"shut", "--scope=instance"}, outcome{0, fine + "\n", ""}, "", `{"name":"shut","scope":"instance"}`},
		{map[string]string{"GATEHOUSE_URL": s.url}, []string{"shut", "--org=org_1"}, outcome{2, "", "gatehouse: --org only works directly in the database: a service uses the workspace of the session\n"}, "", ""},
	} {
		lifted, s.bodies = nil, nil
		if got := (session{env: c.env, program: program}).run(t, append([]string{"flow", "disable"}, c.args...)...); got != c.want {
			t.Errorf("%q = %+v, want %+v", c.args, got, c.want)
		}
		if (c.lifted == "") != (lifted == nil) || lifted != nil && lifted[0] != c.lifted {
			t.Errorf("%q lifted %q, want %q", c.args, lifted, c.lifted)
		}
		if want := `POST /api/v1/execute {"command":"FLOW.DISABLE","params":` + c.sent + `}`; (c.sent == "") != (s.bodies == nil) || s.bodies != nil && s.bodies[0] != want {
			t.Errorf("%q sent %q, want %s", c.args, s.bodies, want)
		}
	}
}
