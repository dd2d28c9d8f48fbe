package machines_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/test/harness"
)

// The first app that asks for an audience claims it for its workspace.
func TestFirstUseClaims(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, bob := here.SignUp("ada@example.com"), here.SignUp("bob@example.com")
		hers, again, his := oauthRegister(ada, "hers", nil), oauthRegister(ada, "again", nil), oauthRegister(bob, "his", nil)
		his.ask(here, harness.Issuer, nil).OK()
		if got := oauthClaims(t, hers.ask(here, "kubernetes", []string{"anything"}).OK())["aud"]; got != "kubernetes" {
			t.Errorf("aud = %v", got)
		}
		claimed := ada.Do("OAUTH.RESOURCE_LIST", nil).List("items")
		if len(claimed) != 1 || claimed[0]["identifier"] != "kubernetes" || claimed[0]["confirmed"] != false || claimed[0]["origin"] != "first_use" {
			t.Errorf("claimed %v", claimed)
		}
		again.ask(there, "kubernetes", nil).OK()
		for _, h := range []*harness.Service{there, here} {
			got := his.ask(h, "kubernetes", nil)
			refused(t, "an app of another workspace", got, "invalid_target")
			if !strings.Contains(got.Failure.Message, "administrators") || !strings.Contains(got.Failure.Message, "superadmin") {
				t.Errorf("%q does not say whom to ask", got.Failure.Message)
			}
		}
		preview := bob.Do("APP.PREVIEW_TOKEN", P{"app_id": his.id, "audience": "kubernetes"})
		refused(t, "a preview for another workspace", preview, "invalid_target")
		if len(eventsOf(here, resource.KindCreated, ada.OrgID)) != 1 || len(eventsOf(here, m2m.KindIssued, bob.OrgID)) != 1 {
			t.Error("the claim was told more than once, or a refused token was issued")
		}
		// A preview and a dry run claim nothing.
		bob.Do("APP.PREVIEW_TOKEN", P{"app_id": his.id, "audience": api}).OK()
		here.Anonymous().DryRun().Do("M2M.TOKEN", P{"client_id": "his", "client_secret": his.secret, "audience": api}).OK()
		hers.ask(here, api, nil).OK()
	})
}

// Neither a request that is refused otherwise claims an audience.
func TestRefusedRequestsClaimNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob := h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
	hers, web := oauthRegister(ada, "hers", P{"scopes": []string{}}), oauthRegister(ada, "web", P{"type": "web"})
	his := oauthRegister(bob, "his", nil)
	hers.ask(h, api, []string{"read"}).Fails(fault.Validation)
	web.ask(h, api, nil).Fails(fault.Validation)
	hers.secret = his.secret
	hers.ask(h, api, nil).Fails(fault.Auth)
	if items := ada.Do("OAUTH.RESOURCE_LIST", nil).List("items"); len(items) != 0 {
		t.Errorf("claimed %v", items)
	}
	his.ask(h, api, nil).OK()
}

// Two workspaces ask for a new audience at the same instant, on two replicas: one of
// them has it, and the other no token.
func TestClaimsAtTheSameInstant(t *testing.T) {
	t.Parallel()
	const rounds, each = 4, 4
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		machines := []oauthMachine{
			oauthRegister(here.SignUp("ada@example.com"), "hers", nil), oauthRegister(here.SignUp("bob@example.com"), "his", nil),
		}
		for round := range rounds {
			audience := fmt.Sprintf("https://%d.example.com", round)
			answers := harness.Together(2*each, func(i int) *harness.Reply {
				return machines[i%2].ask([]*harness.Service{here, there}[i/2%2], audience, nil)
			})
			var winners []int
			for i, answer := range answers {
				if answer.Failure == nil {
					winners = append(winners, i%2)
				} else {
					refused(t, audience, answer, "invalid_target")
				}
			}
			if winners = slices.Compact(winners); len(winners) != 1 {
				t.Errorf("%s went to %v, want one workspace", audience, winners)
			}
		}
	})
}

// The slug of an app is an audience of its workspace, whatever the setting.
func TestSlugsAreAudiences(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob, root := h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	hers, his := oauthRegister(ada, "hers", nil), oauthRegister(bob, "his", nil)
	oauthRegister(ada, "backend", nil)
	hers.ask(h, "backend", nil).OK()
	refused(t, "a slug of another workspace", his.ask(h, "backend", nil), "invalid_target")
	root.Do("SETTINGS.SET", P{"values": P{"audiences": "registered"}}).OK()
	hers.ask(h, "backend", nil).OK()
}

// The resource of a client credentials request is an absolute URI or known by another name. Nothing
// else can be claimed by it.
func TestResourcesOfMachines(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	hers := oauthRegister(ada, "hers", nil)
	oauthRegister(ada, "backend", nil)
	ask := func(params P) *harness.Reply {
		return h.Anonymous().Do("M2M.TOKEN", with(P{"client_id": hers.slug, "client_secret": hers.secret}, params))
	}
	for name, params := range map[string]P{
		"the slug of an app":  {"resource": "backend"},
		"an absolute URI":     {"resource": api},
		"as audience as well": {"resource": "backend", "audience": "backend"},
	} {
		if got := introspect(h, ask(params).OK().String("access_token")).String("aud"); got != params["resource"] {
			t.Errorf("%s: the token is for %q, want %q", name, got, params["resource"])
		}
	}
	refused(t, "an unknown name", ask(P{"resource": "nobody"}), "invalid_target")
	refused(t, "a URI with an empty fragment", ask(P{"resource": "https://new.example.com/#"}), "invalid_target")
	refused(t, "a malformed URI", ask(P{"resource": "https://new.example.com:y/"}), "invalid_target")
	refused(t, "a URI with a fragment", ask(P{"resource": "https://new.example.com/#part"}), "invalid_target")
	refused(t, "two targets", ask(P{"resource": api, "audience": "backend"}), "invalid_request")
}

// With the setting registered no claim counts but those of superadmins.
func TestRegisteredAudiences(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, root := h.SignUp("ada@example.com"), h.Superadmin()
	hers := oauthRegister(ada, "hers", nil)
	own := create(ada, "https://own.example.com", nil).String("resource.id")
	hers.ask(h, api, nil).OK()
	root.Do("SETTINGS.SET", P{"values": P{"audiences": "registered"}}).OK()
	for name, audience := range map[string]string{
		"of first use": api, "registered by the workspace": "https://own.example.com", "of nobody": "https://new.example.com",
	} {
		refused(t, name, hers.ask(h, audience, nil), "invalid_target")
		refused(t, "a preview of one "+name, ada.Do("APP.PREVIEW_TOKEN", P{"app_id": hers.id, "audience": audience}), "invalid_target")
	}
	create(ada, "https://new.example.com", nil).Fails(fault.Denied)
	hers.ask(h, "", nil).OK()
	root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": own, "new_org_id": ada.OrgID}).OK()
	hers.ask(h, "https://own.example.com", nil).OK()
	ada.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": own, "name": "Renamed"}).OK()
	hers.ask(h, "https://own.example.com", nil).OK()
	root.Do("SETTINGS.SET", P{"values": P{"audiences": nil}}).OK()
	hers.ask(h, api, nil).OK()
}

// Somebody of the workspace confirms what its app claimed; a superadmin takes it for
// another.
func TestConfirm(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob, root := h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	hers := oauthRegister(ada, "hers", nil)
	hers.ask(h, api, []string{"anything"}).OK()
	create(bob, api, nil).Fails(fault.Validation).Field("/identifier")
	claimed := ada.Do("OAUTH.RESOURCE_LIST", nil).List("items")[0]["id"]
	confirmed := create(ada, api, P{"scopes": scopes("read")}).OK()
	if confirmed.String("resource.id") != claimed || !confirmed.Bool("resource.confirmed") {
		t.Errorf("confirmed as %v", confirmed.Data)
	}
	refused(t, "a scope that it does not name", hers.ask(h, api, []string{"anything"}), "invalid_scope")
	hers.ask(h, api, []string{"read"}).OK()
	create(root, api, nil).Fails(fault.Validation) // it is more than a first use now

	token := hers.ask(h, "https://squat.example.com", nil).OK()
	taken := create(root, "https://squat.example.com", nil).OK()
	if taken.String("resource.org_id") != root.OrgID || active(h, token) {
		t.Errorf("taken as %v, the old token is active: %v", taken.Data, active(h, token))
	}
	refused(t, "who had it", hers.ask(h, "https://squat.example.com", nil), "invalid_target")
	// A change confirms as well.
	hers.ask(h, "https://changed.example.com", nil).OK()
	id := ada.Do("OAUTH.RESOURCE_LIST", nil).List("items")[0]["id"]
	if got := ada.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "name": "Changed"}).OK(); got.String("resource.origin") != "workspace" {
		t.Errorf("changed to %v", got.Data)
	}
}

// Scopes of a registered API are its own; those of this service want a grant.
func TestScopesOfAnAPI(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	create(ada, api, P{"scopes": scopes("read", "write", "pay")}).OK()
	free, listed := oauthRegister(ada, "free", nil), oauthRegister(ada, "listed", P{"scopes": []string{"apps:read", "read", "other"}})
	for name, c := range map[string]struct {
		of    oauthMachine
		asked []string
		want  string // "!" for a refusal
	}{
		"all that is granted":           {listed, nil, "apps:read read"},
		"one that is":                   {listed, []string{"read"}, "read"},
		"one of another API":            {listed, []string{"other"}, "!"},
		"one that is not granted":       {listed, []string{"write"}, "!"},
		"without a list":                {free, []string{"write", "read"}, "write read"},
		"none of the API, without one":  {free, []string{"other"}, "!"},
		"a permission, without a grant": {free, []string{"users:read"}, "!"},
		"none":                          {free, []string{}, ""},
	} {
		got := c.of.ask(h, api, c.asked)
		params := P{"app_id": c.of.id, "audience": api}
		if c.asked != nil {
			params["scopes"] = c.asked
		}
		preview := ada.Do("APP.PREVIEW_TOKEN", params).OK()
		if c.want == "!" {
			refused(t, name, got, "invalid_scope")
			if !slices.Equal(preview.Strings("dropped_scopes"), c.asked) {
				t.Errorf("%s: the preview drops %q", name, preview.Strings("dropped_scopes"))
			}
			continue
		}
		if got.String("scope") != c.want || preview.String("claims.scope") != c.want {
			t.Errorf("%s: %q, previewed as %q, want %q", name, got.String("scope"), preview.String("claims.scope"), c.want)
		}
	}
	free.ask(h, "", []string{"other"}).OK()
	ada.Do("APP.SCOPE_REVOKE", P{"app_id": free.id, "scopes": []string{"pay"}}).OK()
	refused(t, "a scope that was taken back", free.ask(h, api, []string{"pay"}), "invalid_scope")
}

// An API of the instance is for apps that a superadmin granted its scopes, of whichever
// workspace; what people grant their own apps opens nothing.
func TestAPIsOfTheInstance(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, root := here.SignUp("ada@example.com"), here.Superadmin()
		app := oauthRegister(ada, "app", P{"scopes": []string{"read", "write"}})
		id := create(root, api, P{"scope": "instance", "scopes": scopes("read", "write")}).String("resource.id")
		refused(t, "without a grant of a superadmin", app.ask(there, api, nil), "invalid_target")
		ada.Do("APP.SCOPE_GRANT", P{"app_id": app.id, "scopes": []string{"read"}}).OK()
		refused(t, "with one of its own", app.ask(there, api, []string{"read"}), "invalid_target")
		root.Do("APP.SCOPE_GRANT", P{"app_id": app.id, "scopes": []string{"read"}}).OK()
		token := app.ask(there, api, nil).OK()
		if token.String("scope") != "read" {
			t.Errorf("scope %q", token.String("scope"))
		}
		refused(t, "a scope that no superadmin granted", app.ask(here, api, []string{"write"}), "invalid_scope")
		apps := root.Do("OAUTH.RESOURCE_GET", P{"resource_id": id}).List("apps")
		if len(apps) != 1 || apps[0]["id"] != app.id {
			t.Errorf("apps %v", apps)
		}
		// Taken back and granted again by the workspace, it opens nothing, also not what
		// was issued before.
		ada.Do("APP.SCOPE_REVOKE", P{"app_id": app.id, "scopes": []string{"read"}}).OK()
		ada.Do("APP.SCOPE_GRANT", P{"app_id": app.id, "scopes": []string{"read"}}).OK()
		refused(t, "after that", app.ask(here, api, nil), "invalid_target")
		if got := there.Anonymous().Do("M2M.INTROSPECT", P{"token": token.String("access_token")}); got.String("scope") != "" {
			t.Errorf("the token has %q left", got.String("scope"))
		}
	})
}

// A workspace claims so many audiences and no more; those that were deleted count.
func TestClaimsAreBounded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, root := h.SignUp("ada@example.com"), h.Superadmin()
	hers := oauthRegister(ada, "hers", nil)
	insert := `INSERT INTO audiences (name, org_id, slug, epoch, version) VALUES (?, ?, FALSE, 0, 1)`
	for i := range resource.MostAudiences - 1 {
		if _, err := h.Store.Database().Write.ExecContext(t.Context(), insert, fmt.Sprint("claimed-", i), ada.OrgID); err != nil {
			t.Fatal(err)
		}
	}
	hers.ask(h, api, nil).OK()
	refused(t, "one more", hers.ask(h, "https://more.example.com", nil), "invalid_target")
	create(ada, "https://more.example.com", nil).Fails(fault.Validation).Field("/identifier")
	create(ada, api, nil).OK() // it was claimed before
	hers.ask(h, api, nil).OK()
	moved := create(root, "https://more.example.com", nil).String("resource.id")
	root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": moved, "new_org_id": ada.OrgID}).OK()
	hers.ask(h, "https://more.example.com", nil).OK()
}
