package machines_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/test/harness"
)

func TestCreateGetAndList(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	worker := oauthRegister(ada, "worker", P{"scopes": []string{"invoices:read", "invoices:send", "apps:read"}})
	oauthRegister(ada, "idle", nil)
	made := create(ada, api, P{
		"name": "Billing", "scopes": []P{{"name": "invoices:read", "description": "Read invoices."}, {"name": "invoices:pay"}},
		"access_ttl_seconds": 600, "signing_alg": "ES256",
	}).OK()
	at := h.Clock.Now().Format("2006-01-02T15:04:05.999999Z")
	want := P{
		"id": made.String("resource.id"), "org_id": ada.OrgID, "identifier": api, "name": "Billing",
		"scopes":             []any{P{"name": "invoices:read", "description": "Read invoices."}, P{"name": "invoices:pay", "description": ""}},
		"access_ttl_seconds": 600.0, "signing_alg": "ES256", "skip_consent": false, "confirmed": true, "origin": "workspace",
		"created_at": at, "updated_at": at,
	}
	if diff := cmp.Diff(want, made.Data["resource"]); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	got := ada.Do("OAUTH.RESOURCE_GET", P{"resource_id": want["id"]}).OK()
	if diff := cmp.Diff(want, got.Data["resource"]); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	apps := got.List("apps")
	if len(apps) != 2 || apps[1]["id"] != worker.id || !cmp.Equal(apps[1]["scopes"], []any{"apps:read", "invoices:read"}) || apps[0]["slug"] != "idle" {
		t.Errorf("apps %v", apps)
	}
	second := create(ada, "plain", nil).String("resource.id")
	page := ada.Do("OAUTH.RESOURCE_LIST", P{"limit": 1}).OK()
	next := ada.Do("OAUTH.RESOURCE_LIST", P{"limit": 1, "cursor": page.String("next_cursor")}).OK()
	if page.List("items")[0]["id"] != second || next.List("items")[0]["id"] != want["id"] || next.Data["next_cursor"] != nil {
		t.Errorf("listed %v, then %v", page.Data, next.Data)
	}
	if events := eventsOf(h, resource.KindCreated, ada.OrgID); len(events) != 2 || !strings.Contains(string(events[1].Data), `"origin":"workspace"`) {
		t.Errorf("told %+v", events)
	}
}

func TestOAuthCreateRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob, root := h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	oauthRegister(bob, "worker", nil)
	create(ada, api, nil).OK()
	create(ada, api, nil).Fails(fault.Validation).Field("/identifier")
	for name, identifier := range map[string]string{"an audience": api, "a slug": "worker"} {
		for _, who := range []*harness.Actor{h.SignUp(strings.ReplaceAll(name, " ", "-") + "@example.com"), root} {
			got := create(who, identifier, nil).Fails(fault.Validation).Field("/identifier")
			if !strings.Contains(got.Failure.Message, "superadmin") {
				t.Errorf("%s of another workspace is refused with %q, which tells nobody whom to ask", name, got.Failure.Message)
			}
		}
	}
	host := strings.TrimPrefix(harness.Issuer, "http://")
	for _, ours := range []string{
		harness.Issuer, harness.Issuer + "/", harness.Issuer + "/reports", harness.Issuer + "/reports?x=1", harness.Issuer + "/a/../oauth/token", harness.Issuer + ":80/reports",
		harness.Issuer + ":0080/reports", harness.Issuer + ":80./reports", "https://elsewhere.example.com/#part",
		"https://" + strings.ToUpper(host) + "/reports", "HTTP://" + host + "/reports", "https://" + host + "/reports", "https://user@" + host + "/reports",
	} {
		for _, who := range []*harness.Actor{ada, root} {
			create(who, ours, nil).Fails(fault.Validation).Field("/identifier")
		}
	}
	refused(t, "a first use of an address of ours", oauthRegister(ada, "asker", nil).ask(h, harness.Issuer+"/reports", nil), "invalid_target")
	create(ada, "https://other.example.com", P{"scope": "instance"}).Fails(fault.Denied)
	create(ada, "https://other.example.com", P{"skip_consent": true}).Fails(fault.Denied)
	create(ada, "https://other.example.com", P{"scopes": scopes("users:read")}).Fails(fault.Validation).Field("/scopes/0/name")
	create(ada, "https://other.example.com", P{"access_ttl_seconds": 59}).Fails(fault.Validation).Field("/access_ttl_seconds")
	create(root, "https://other.example.com", P{"scope": "instance"}).Fails(fault.Validation).Field("/scopes")
	// Nothing of all that took the name.
	create(bob, "https://other.example.com", nil).OK()
	bob.Do("APP.REGISTER", P{"name": "x", "slug": "api"}).OK()
	create(ada, "api", nil).Fails(fault.Validation).Field("/identifier")
	create(ada, "ada-audience", nil).OK()
	bob.Do("APP.REGISTER", P{"name": "x", "slug": "ada-audience"}).Fails(fault.Validation).Field("/slug")
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, root := h.SignUp("ada@example.com"), h.Superadmin()
	worker := oauthRegister(ada, "worker", nil)
	id := create(ada, api, P{"scopes": scopes("read")}).String("resource.id")
	refused(t, "a scope that the API does not have", worker.ask(h, api, []string{"write"}), "invalid_scope")
	update := func(by *harness.Actor, more P) *harness.Reply {
		more["resource_id"] = id
		return by.Do("OAUTH.RESOURCE_UPDATE", more)
	}
	got := update(ada, P{"name": "New", "scopes": scopes("read", "write"), "access_ttl_seconds": 60}).OK()
	if got.String("resource.name") != "New" || len(got.List("resource.scopes")) != 2 || got.Int("resource.access_ttl_seconds") != 60 {
		t.Errorf("changed to %v", got.Data)
	}
	if life := worker.ask(h, api, []string{"write"}).OK().Int("expires_in"); life != 60 {
		t.Errorf("a token lives %d seconds, want the 60 of the API", life)
	}
	events := eventsOf(h, resource.KindUpdated, ada.OrgID)
	if len(events) != 1 || !strings.Contains(string(events[0].Data), `"changed":["name","scopes","access_ttl_seconds"]`) {
		t.Errorf("told %+v", events)
	}
	update(ada, P{"name": "New"}).OK()
	if len(eventsOf(h, resource.KindUpdated, ada.OrgID)) != 1 {
		t.Error("a change of nothing was told")
	}
	update(ada, P{"skip_consent": true}).Fails(fault.Denied)
	update(ada, P{"new_org_id": ada.OrgID}).Fails(fault.Denied)
	update(ada, P{"new_org_id": root.OrgID}).Fails(fault.NotFound)
	update(root, P{"new_org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
	if !update(root, P{"skip_consent": true}).OK().Bool("resource.skip_consent") {
		t.Error("a superadmin did not switch consent off")
	}
	update(ada, P{"skip_consent": false}).OK()
	update(ada, P{"signing_alg": "RS256"}).OK()
	refused(t, "an algorithm that nobody signs with", worker.ask(h, api, nil), "invalid_target")
	root.Do("JWT_KEY.ROTATE", P{"algorithm": "RS256"}).OK()
	worker.ask(h, api, nil).OK()
}

func TestDelete(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob, root := h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	mine, theirs := oauthRegister(ada, "mine", nil), oauthRegister(bob, "theirs", nil)
	id := create(ada, api, nil).String("resource.id")
	token := mine.ask(h, api, nil).OK()
	ada.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": id}).OK()
	ada.Do("OAUTH.RESOURCE_GET", P{"resource_id": id}).Fails(fault.NotFound)
	ada.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": id}).Fails(fault.NotFound)
	if !active(h, token) {
		t.Error("a token that was there ended with the API")
	}
	refused(t, "an app of the workspace", mine.ask(h, api, nil), "invalid_target")
	refused(t, "an app of another", theirs.ask(h, api, nil), "invalid_target")
	create(bob, api, nil).Fails(fault.Validation).Field("/identifier")
	if len(ada.Do("OAUTH.RESOURCE_LIST", nil).List("items")) != 0 || len(eventsOf(h, resource.KindDeleted, ada.OrgID)) != 1 {
		t.Error("it is listed still, or was not told")
	}
	create(ada, api, nil).OK()
	mine.ask(h, api, nil).OK()
	// A slug stays an audience without its API.
	slug := create(ada, "mine", P{"scopes": scopes("read")}).String("resource.id")
	refused(t, "a slug with an API", mine.ask(h, "mine", []string{"write"}), "invalid_scope")
	ada.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": slug}).OK()
	mine.ask(h, "mine", []string{"write"}).OK()
	// A superadmin takes what nothing is registered under any more, and no slug.
	gone := ada.Do("OAUTH.RESOURCE_LIST", nil).List("items")[0]["id"]
	ada.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": gone}).OK()
	create(root, api, P{"scope": "instance", "scopes": scopes("read")}).OK()
	create(root, "mine", nil).Fails(fault.Validation).Field("/identifier")
	if active(h, token) {
		t.Error("a token lives on under another holder")
	}
}

// A superadmin moves an API: the tokens that were given out under it end, on every
// replica, and who has it now gets new ones. Moved back it brings none of them back.
func TestMove(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, bob, root := here.SignUp("ada@example.com"), here.SignUp("bob@example.com"), here.Superadmin()
		hers, his := oauthRegister(ada, "hers", nil), oauthRegister(bob, "his", nil)
		id := create(ada, api, nil).String("resource.id")
		first, beside := hers.ask(here, api, nil).OK(), hers.ask(here, "https://beside.example.com", nil).OK()
		move := func(to *harness.Actor) *harness.Reply {
			return root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": to.OrgID}).OK()
		}
		move(ada)
		if !active(there, first) {
			t.Error("a token ended though the API stayed where it was")
		}
		moved := move(bob)
		if moved.String("resource.org_id") != bob.OrgID || moved.String("resource.origin") != "superadmin" {
			t.Errorf("moved to %v", moved.Data)
		}
		for _, h := range []*harness.Service{here, there} {
			if active(h, first) || !active(h, beside) {
				t.Error("the token lives on, or one for another audience ended")
			}
			refused(t, "the former holder", hers.ask(h, api, nil), "invalid_target")
		}
		second := his.ask(there, api, nil).OK()
		good := func(by *harness.Actor, want bool) []string {
			found := []string{}
			for _, item := range by.Do("M2M.LIST", P{"active": want}).List("items") {
				found = append(found, item["jti"].(string))
			}
			return found
		}
		if got := good(ada, true); !slices.Equal(got, []string{beside.String("jti")}) {
			t.Errorf("good tokens %q", got)
		}
		if got := good(ada, false); !slices.Equal(got, []string{first.String("jti")}) {
			t.Errorf("ended tokens %q", got)
		}
		for _, org := range []string{ada.OrgID, bob.OrgID} {
			if events := eventsOf(here, resource.KindUpdated, org); len(events) == 0 || !strings.Contains(string(events[0].Data), `"org_id":"`+bob.OrgID) {
				t.Errorf("%s was told %+v", org, events)
			}
		}
		ada.Do("OAUTH.RESOURCE_GET", P{"resource_id": id}).Fails(fault.NotFound)
		move(ada)
		if active(here, first) || active(there, second) {
			t.Error("a token came back, or lives on")
		}
		hers.ask(there, api, nil).OK()
		// A slug stays with its workspace.
		slug := create(ada, "hers", nil).String("resource.id")
		root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": slug, "new_org_id": bob.OrgID}).Fails(fault.Validation).Field("/new_org_id")
	})
}

// Superadmins see and end the APIs of all workspaces; nobody else sees those of others.
func TestWhoSeesAnAPI(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob, root := h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	id := create(ada, api, nil).String("resource.id")
	instance := create(root, "https://instance.example.com", P{"scope": "instance", "scopes": scopes("read")}).OK()
	if instance.Data["resource"].(P)["org_id"] != nil || instance.String("resource.origin") != "superadmin" {
		t.Errorf("an API of the instance is %v", instance.Data)
	}
	for _, unseen := range []string{id, instance.String("resource.id")} {
		for command, more := range map[string]P{"OAUTH.RESOURCE_GET": {}, "OAUTH.RESOURCE_UPDATE": {"name": "Mine"}, "OAUTH.RESOURCE_DELETE": {}} {
			more["resource_id"] = unseen
			bob.Do(command, more).Fails(fault.NotFound)
		}
	}
	if items := bob.Do("OAUTH.RESOURCE_LIST", nil).List("items"); len(items) != 0 {
		t.Errorf("a stranger sees %v", items)
	}
	if items := root.Do("OAUTH.RESOURCE_LIST", nil).List("items"); len(items) != 2 {
		t.Errorf("a superadmin sees %v", items)
	}
	root.Do("OAUTH.RESOURCE_GET", P{"resource_id": id}).OK()
	root.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": id}).OK()
}
