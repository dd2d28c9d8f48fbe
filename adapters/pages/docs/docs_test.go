package docs_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/adapters/pages/docs"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/inbound"
)

// book returns a handbook of two commands and one event kind.
func book(t *testing.T) http.Handler {
	t.Helper()
	handler, err := docs.Handbook{
		Catalog: func() []inbound.Descriptor {
			return []inbound.Descriptor{{
				Name: "DOOR.OPEN", Family: "DOOR", Summary: "Open a door.", Access: "user", Recent: true, Callers: []string{"session"}, Effect: "store",
				Events:  []event.Kind{"door.opened"},
				Params:  json.RawMessage(`{"type":"object","required":["door_id"],"properties":{"wide":{"type":"boolean","description":"How <far>."},"door_id":{"type":"string"}}}`),
				Result:  json.RawMessage(`{"type":"object","properties":{"side":{"enum":["left","right"]}}}`),
				Example: json.RawMessage(`{"command":"DOOR.OPEN","params":{"door_id":"door_1"}}`),
			}, {Name: "WALL.SEE", Family: "WALL", Summary: "Look at a wall.", Access: "public", Effect: "none"}}
		},
		Kinds: func() []inbound.KindDescriptor {
			return []inbound.KindDescriptor{
				{Type: "door.opened", Summary: "A door was opened.", Commands: []string{"DOOR.OPEN"}},
				{Type: "door.fell", Summary: "A door fell."},
			}
		},
		Nodes: func() []inbound.NodeDescriptor {
			return []inbound.NodeDescriptor{{
				Type: "weigh", Summary: "Weighs <it>.", Outputs: []string{"light", "heavy"}, Values: true,
				Schema:  json.RawMessage(`{"type":"object","required":["grams"],"properties":{"grams":{"type":"integer","description":"From where on."}}}`),
				Example: json.RawMessage(`{"grams":5}`),
			}, {Type: "drop", Summary: "Ends it.", Schema: json.RawMessage(`{"type":"object"}`), Example: json.RawMessage(`{}`)}}
		},
		Version: "v1",
	}.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func get(handler http.Handler, method, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer
}

func TestPages(t *testing.T) {
	t.Parallel()
	handler := book(t)
	for path, want := range map[string]struct {
		status int
		texts  []string
	}{
		"/docs":               {200, []string{"<h1", "Getting started", `href="/docs/start"`, `aria-current="page"`}},
		"/docs/":              {200, []string{"<h1", `aria-current="page"`}},
		"/docs/configuration": {200, []string{"<table>", "DATABASE_URL"}},
		"/docs/start.md":      {200, []string{"AUTH.SIGNUP"}},
		"/docs/commands":      {200, []string{"DOOR.OPEN", "Look at a wall."}},
		"/docs/commands/door": {200, []string{"Open a door.", "How &lt;far&gt;.", "left | right", "requires a sign-in within the last 15 minutes", `&#34;door_id&#34;: &#34;door_1&#34;`}},
		"/docs/events": {200, []string{
			`<code>DOOR.OPEN</code></a></td><td><a href="#door.opened">`, `<td>background work only</td><td><a href="#door.fell">`, `<h2 id="door.fell">`,
		}},
		"/docs/nodes":         {200, []string{"Weighs &lt;it&gt;.", "the value of its expression, or <code>light</code>, <code>heavy</code>", "From where on.", `&#34;grams&#34;: 5`, "the flow ends here", `aria-current="page"`}},
		"/docs/style.css":     {200, []string{"color-scheme"}},
		"/docs/commands/ROOF": {404, []string{"Not found"}},
		"/docs/nothing":       {404, []string{"Not found"}},
		"/docs/a/b":           {404, []string{"Not found"}},
		"/docs/..%2Fdocs.go":  {404, []string{"Not found"}},
		"/docs/frame.html":    {404, []string{"Not found"}},
	} {
		answer := get(handler, http.MethodGet, path)
		if answer.Code != want.status {
			t.Errorf("GET %s = %d, want %d", path, answer.Code, want.status)
		}
		for _, text := range want.texts {
			if !strings.Contains(answer.Body.String(), text) {
				t.Errorf("GET %s lacks %q:\n%s", path, text, answer.Body)
			}
		}
		if strings.HasSuffix(path, ".css") {
			continue
		}
		if policy := answer.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("GET %s has the policy %q", path, policy)
		}
	}
	if answer := get(handler, http.MethodPost, "/docs/start"); answer.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST /docs/start = %d, want 405", answer.Code)
	}
	if _, err := (docs.Handbook{}).Handler(); err == nil {
		t.Error("Handler() of an empty handbook = nil error")
	}
}

// TestEveryGuideIsListed compares files, navigation and links.
func TestEveryGuideIsListed(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(os.DirFS("."), "*.md")
	if err != nil || len(files) < 2 {
		t.Fatalf("Glob() = %q, %v", files, err)
	}
	handler := book(t)
	start := get(handler, http.MethodGet, "/docs").Body.String()
	links := regexp.MustCompile(`\]\(([a-z-]+\.md)\)`)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".md")
		if name != "index" && !strings.Contains(start, `<a href="/docs/`+name+`"`) {
			t.Errorf("%s is in no navigation", file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(link[1]); err != nil {
				t.Errorf("%s leads to %s, which is not there", file, link[1])
			}
		}
	}
}
