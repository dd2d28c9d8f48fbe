package view_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// document is a result as it goes out.
func document(t *testing.T, shown any) string {
	t.Helper()
	raw, err := strictjson.Encode(shown)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestOfUser(t *testing.T) {
	t.Parallel()
	person := user.Snapshot{
		ID: "usr_1", Email: email.Restore("Ada@example.com"), EmailVerified: true, Superadmin: true, DisplayName: "Ada", Avatar: "https://example.com/a.png",
		Locale: "de", Timezone: "Europe/Berlin", ExternalID: "x|1", Metadata: map[string]any{"plan": "pro"}, Status: user.Active,
		CreatedAt: noon().In(time.FixedZone("", 3600)), UpdatedAt: noon().Add(time.Hour), LastLoginAt: noon().Add(2 * time.Hour),
	}
	const want = `{"id":"usr_1","email":"Ada@example.com","email_verified":true,"is_superadmin":true,"display_name":"Ada",` +
		`"avatar":"https://example.com/a.png","locale":"de","timezone":"Europe/Berlin","external_id":"x|1","metadata_json":{"plan":"pro"},"status":"active",` +
		`"created_at":"2026-11-21T12:00:00Z","updated_at":"2026-11-21T13:00:00Z","last_login_at":"2026-11-21T14:00:00Z"}`
	if got := document(t, view.OfUser(person, noon())); got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	bare := document(t, view.OfUser(user.Snapshot{ID: "usr_2", Status: user.Active}, noon()))
	if strings.Contains(bare, "null") || strings.Contains(bare, "last_login_at") || !strings.Contains(bare, `"metadata_json":{}`) {
		t.Errorf("a bare account is shown as %s", bare)
	}
}

func TestStatusIsThatOfTheMoment(t *testing.T) {
	t.Parallel()
	until := noon().Add(time.Hour)
	for name, c := range map[string]struct {
		person user.Snapshot
		now    time.Time
		status string
		until  bool
	}{
		"active":            {user.Snapshot{Status: user.Active}, noon(), "active", false},
		"disabled":          {user.Snapshot{Status: user.Disabled}, noon(), "disabled", false},
		"for a while":       {user.Snapshot{Status: user.Disabled, DisabledUntil: until}, noon(), "disabled", true},
		"until the moment":  {user.Snapshot{Status: user.Disabled, DisabledUntil: until}, until.Add(-1), "disabled", true},
		"at the very end":   {user.Snapshot{Status: user.Disabled, DisabledUntil: until}, until, "active", false},
		"a left-over until": {user.Snapshot{Status: user.Active, DisabledUntil: until}, noon(), "active", false},
	} {
		shown := view.OfUser(c.person, c.now)
		if shown.Status != c.status || (shown.DisabledUntil != nil) != c.until {
			t.Errorf("%s: %s until %v", name, shown.Status, shown.DisabledUntil)
		}
	}
}

func TestOfWorkspace(t *testing.T) {
	t.Parallel()
	personal := workspace.NewPersonal("org_1", "usr_1", "Mine", noon()).Snapshot()
	const want = `{"id":"org_1","name":"Mine","slug":"personal-org_1","logo_url":"","personal":true,"default_role":"member",` +
		`"allowed_methods":[],"disabled":false,"created_at":"2026-11-21T12:00:00Z","metadata_json":{}}`
	if got := document(t, view.OfWorkspace(personal)); got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	if view.OfWorkspace(workspace.Snapshot{ID: "org_2"}).Personal {
		t.Error("a team is shown as somebody's own")
	}
}

// What an event does not say is null, never an empty text.
func TestOfEvent(t *testing.T) {
	t.Parallel()
	full := event.Record{
		ID: "evt_1", Kind: "user.created", At: noon(), Outcome: event.Success, UserID: "usr_1", OrgID: "org_1", Data: []byte(`{"user_id":"usr_1"}`),
		Origin: event.Origin{ActorKind: "user", ActorID: "usr_2", Credential: "ses_01jd7x9k2mf3q8v5t0abcdefgh", IP: "192.0.2.1", UserAgent: "curl", RequestID: "r", Command: "USER.CREATE"},
	}
	const want = `{"id":"evt_1","type":"user.created","at":"2026-11-21T12:00:00Z","outcome":"success","user_id":"usr_1","org_id":"org_1",` +
		`"actor":{"kind":"user","id":"usr_2"},"session_id":"ses_01jd7x9k2mf3q8v5t0abcdefgh","api_key_id":null,"ip":"192.0.2.1","user_agent":"curl","request_id":"r","command":"USER.CREATE","data":{"user_id":"usr_1"}}`
	if got := document(t, view.OfEvent(full)); got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	bare := event.Record{ID: "evt_2", Kind: "jwt_key.retired", At: noon(), Outcome: event.Success, Origin: event.Origin{ActorKind: "system"}, Data: []byte(`{}`)}
	const none = `{"id":"evt_2","type":"jwt_key.retired","at":"2026-11-21T12:00:00Z","outcome":"success","user_id":null,"org_id":null,` +
		`"actor":{"kind":"system","id":null},"session_id":null,"api_key_id":null,"ip":null,"user_agent":null,"request_id":null,"command":null,"data":{}}`
	if got := document(t, view.OfEvent(bare)); got != none {
		t.Errorf("shown as %s, want %s", got, none)
	}
}
