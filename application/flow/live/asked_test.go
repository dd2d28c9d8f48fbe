package live_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What servers are asked is the context by its published schema, on every way in.
func TestServersAreAskedByTheSchema(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, w *world) {
		schemas := map[string]*jsonschema.Schema{}
		for _, one := range w.root.Do("FLOW.TRIGGER_LIST", nil).OK().List("items") {
			schemas[one["trigger"].(string)] = compiled(t, one["context_schema"])
		}
		var body []byte
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body)
			_, _ = io.WriteString(rw, `{"decision":"allow"}`)
		}))
		t.Cleanup(server.Close)
		for name, one := range ways() {
			last, _ := one.prepare(w)
			enable(w.root, "instance", "asks", one.trigger, line(hook("ask", server.URL, "deny")))
			body = nil
			last().OK()
			w.root.Do("FLOW.DELETE", P{"name": "asks", "scope": "instance"}).OK()
			asked, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
			message, whole := asked.(map[string]any)
			if err != nil || !whole {
				t.Errorf("%s: the server was asked %q", name, body)
				continue
			}
			if err := schemas[one.trigger].Validate(message["data"]); err != nil {
				t.Errorf("%s: %v\nin %s", name, err, body)
			}
		}
	})
}

func compiled(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("mem:context", schema); err != nil {
		t.Fatal(err)
	}
	made, err := compiler.Compile("mem:context")
	if err != nil {
		t.Fatal(err)
	}
	return made
}
