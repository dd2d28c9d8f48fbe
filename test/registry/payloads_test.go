package registry_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/bootstrap"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// ear is a receiver that is told of every event of the instance.
type ear struct {
	mu   sync.Mutex
	came map[event.Kind][][]byte
}

// listening registers a receiver of everything.
func listening(t *testing.T, root *harness.Actor) *ear {
	t.Helper()
	e := &ear{came: map[event.Kind][][]byte{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var of struct{ Type event.Kind }
		_ = json.Unmarshal(body, &of)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.came[of.Type] = append(e.came[of.Type], body)
	}))
	t.Cleanup(server.Close)
	root.Do("WEBHOOK.CREATE", P{"url": server.URL}).OK()
	return e
}

// published is the example of a kind as something that happened.
type published struct{ inbound.KindDescriptor }

func (p published) Kind() event.Kind             { return p.Type }
func (p published) MarshalJSON() ([]byte, error) { return p.Example, nil }

// conform holds what came of each kind of event against the schema that is published for it:
// what commands told, and the example of each kind that none of them did.
func (e *ear) conform(t *testing.T, h *harness.Service) {
	t.Helper()
	_, kinds, err := bootstrap.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	h.SendWebhooks()
	var untold []event.Data
	for _, kind := range kinds {
		if len(e.came[kind.Type]) == 0 {
			untold = append(untold, published{kind})
		}
	}
	if reported := len(kinds) - len(untold); reported < len(kinds)/2 {
		t.Errorf("%d of %d kinds were told of by commands", reported, len(kinds))
	}
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) *sqlstore.Tx { return tx })
	if err := unit.Do(t.Context(), func(tx *sqlstore.Tx) error { return tx.Record(t.Context(), untold) }); err != nil {
		t.Fatal(err)
	}
	h.SendWebhooks()
	for _, kind := range kinds {
		schema := compiled(t, h.Anonymous().Do("EVENT.KIND_GET", P{"type": string(kind.Type)}).OK().Data["schema"])
		if len(e.came[kind.Type]) == 0 {
			t.Errorf("nothing came of %s", kind.Type)
		}
		for _, body := range e.came[kind.Type] {
			if err := judged(body, schema); err != nil {
				t.Errorf("%s: %v\nin %s", kind.Type, err, body)
			}
		}
	}
}

// compiled is what a validator makes of a schema.
func compiled(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("mem:content", schema); err != nil {
		t.Fatal(err)
	}
	made, err := compiler.Compile("mem:content")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// judged fails for a body that is no message, or whose data breaks a schema.
func judged(body []byte, schema *jsonschema.Schema) error {
	var message struct {
		ID        event.ID        `json:"id"`
		Type      event.Kind      `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	strict := json.NewDecoder(bytes.NewReader(body))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&message); err != nil {
		return err
	}
	if _, err := event.ParseID(message.ID.String()); err != nil {
		return err
	}
	data, err := jsonschema.UnmarshalJSON(bytes.NewReader(message.Data))
	if err != nil {
		return err
	}
	return schema.Validate(data)
}

// configuring are the resources whose changes are kept with what they were before and after
// (AUDIT.CHANGE_LIST).
func configuring() []string {
	return []string{
		"app", "audit_stream", "branding", "coupon", "domain", "email_template", "feature", "flow", "group", "ip_rule", "jwt_key", "license_policy",
		"oauth_resource", "permission", "policy", "price", "product", "rate_limit", "relation_model", "role", "settings", "social_provider", "team", "webhook",
	}
}

// unchanging are kinds about such a resource that change nothing of what configures it: who
// has a role or owns a workspace, and counters of a limit, which is what the example resets.
func unchanging() []event.Kind {
	return []event.Kind{"role.assigned", "role.unassigned", "team.ownership_transferred", "rate_limit.reset"}
}

// changesKept looks for events of configuration that tell no change.
func (s *setup) changesKept() {
	s.t.Helper()
	var found []event.Kind
	err := s.Store.Database().Read.SelectContext(s.t.Context(), &found, `SELECT DISTINCT kind FROM events e WHERE command <> ''
		AND NOT EXISTS (SELECT 1 FROM event_changes c WHERE c.id = e.id)`)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, kind := range found {
		if resource, _, _ := bytes.Cut([]byte(kind), []byte(".")); slices.Contains(configuring(), string(resource)) && !slices.Contains(unchanging(), kind) {
			s.t.Errorf("%s tells of a change without what was before and after", kind)
		}
	}
}
