package machines_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestScopeGrantAndRevoke(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", nil)
	grant := func(scopes ...string) []string {
		return alice.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": scopes}).Strings("scopes")
	}
	same(t, "granted", grant("webhooks:*", "invoices:read"), []string{"invoices:read", "webhooks:*"})
	wantEvent(t, h, app.KindScopesGranted, alice.OrgID, id, `"scopes":["invoices:read","webhooks:*"]`)
	same(t, "granted again", grant("invoices:read"), []string{"invoices:read", "webhooks:*"})
	only(t, h, app.KindScopesGranted)
	if alice.Do("APP.GET", P{"app_id": id}).Bool("app.scopes_listed") {
		t.Error("a grant makes a list of an app that has none")
	}
	revoke := func(scopes ...string) []string {
		return alice.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": scopes}).Strings("scopes")
	}
	alice.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": []string{"webhooks:read"}}).Fails(fault.Validation)
	alice.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": []string{"webhooks:read", "invoices:read"}}).Fails(fault.Validation)
	same(t, "left by a refusal", alice.Do("APP.GET", P{"app_id": id}).Strings("scopes"), []string{"invoices:read", "webhooks:*"})
	same(t, "revoked", revoke("webhooks:*", "webhooks:read", "never:granted"), []string{"invoices:read"})
	wantEvent(t, h, app.KindScopesRevoked, alice.OrgID, id, `"scopes":["never:granted","webhooks:*"]`)
	same(t, "revoked again", revoke("webhooks:*", "never:granted"), []string{"invoices:read"})
	only(t, h, app.KindScopesRevoked)
	same(t, "what is left", alice.Do("APP.GET", P{"app_id": id}).Strings("scopes"), []string{"invoices:read"})
}

// What an app without a list of scopes may ask for freely, it may not once that was
// taken back, and the tokens it has lose it.
func TestFreeScopesAreTakenBack(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, secret := appRegister(alice, "billing", nil)
	ask := func(scopes ...string) *harness.Reply {
		return h.Anonymous().Do("M2M.TOKEN", P{"client_id": "billing", "client_secret": secret, "scopes": scopes})
	}
	held := ask("stock:read", "stock:write").String("access_token")
	carries := func(want string) {
		t.Helper()
		if got := h.Anonymous().Do("M2M.INTROSPECT", P{"token": held}).String("scope"); got != want {
			t.Errorf("the live token has %q, want %q", got, want)
		}
	}
	carries("stock:read stock:write")
	alice.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": []string{"stock:read", "users:read"}}).OK()
	wantEvent(t, h, app.KindScopesRevoked, alice.OrgID, id, `"scopes":["stock:read"]`)
	carries("stock:write")
	if got := ask("stock:read").Fails(fault.Validation).Failure.Message; !strings.HasPrefix(got, "invalid_scope: ") {
		t.Errorf("asked for again: %q", got)
	}
	ask("stock:write").OK()
	same(t, "shown", alice.Do("APP.GET", P{"app_id": id}).Strings("app.scopes_withdrawn"), []string{"stock:read"})
	same(t, "dropped", alice.Do("APP.PREVIEW_TOKEN", P{"app_id": id, "scopes": []string{"stock:read"}}).Strings("dropped_scopes"), []string{"stock:read"})
	alice.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": []string{"stock:read"}}).OK()
	carries("stock:read stock:write")
	many := make([]string, 200)
	for n := range many {
		many[n] = fmt.Sprintf("many:%d", n)
	}
	alice.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": many}).OK()
	alice.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": []string{"stock:write"}}).Fails(fault.Validation).Field("/scopes")
}

func TestScopeGrantRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner, root := h.SignUp("owner@example.com"), h.Superadmin()
	admin := member(h, root, owner.OrgID, "admin@example.com", "admin")
	id, _ := appRegister(owner, "billing", nil)
	grant := func(a *harness.Actor, scopes ...string) *harness.Reply {
		return a.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": scopes})
	}
	for scope, who := range map[string]*harness.Actor{
		"billing:refund": admin, "*": admin, "*:*": admin, "users:manage": owner, "privacy:manage": admin, "audit:read": appKey(h, owner, "apps:write"),
	} {
		refused := grant(who, "invoices:read", scope).Fails(fault.Denied)
		if !strings.Contains(refused.Failure.Message, " "+scope+",") {
			t.Errorf("%s is refused with %q", scope, refused.Failure.Message)
		}
	}
	if left := owner.Do("APP.GET", P{"app_id": id}).Strings("scopes"); len(left) != 0 {
		t.Errorf("refused grants left %q", left)
	}
	grant(owner, "*", "billing:*").OK()
	// Even an own * is not enough to give what reaches across workspaces.
	grant(owner, "users:manage").Fails(fault.Denied)
	grant(root, "users:manage").OK()
	for path, scopes := range map[string][]string{
		"/scopes": {}, "/scopes/0": {"a b"}, "/scopes/1": {"a", ""}, "/scopes/2": {"a", "b", "ü"},
	} {
		grant(owner, scopes...).Fails(fault.Validation).Field(path)
	}
	for n := range 2 {
		many := make([]string, 150)
		for i := range many {
			many[i] = fmt.Sprintf("scope-%d-%d", n, i)
		}
		answer := grant(owner, many...)
		if n == 0 {
			answer.OK()
		} else {
			answer.Fails(fault.Validation).Field("/scopes")
		}
	}
}

func TestASuperadminGrantsWhatReachesAcross(t *testing.T) {
	t.Parallel()
	root := harness.New(t).Superadmin()
	id, _ := appRegister(root, "operator", nil)
	got := root.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": []string{"users:manage", "sessions:manage"}}).Strings("scopes")
	same(t, "scopes", got, []string{"sessions:manage", "users:manage"})
	root.Do("APP.ROTATE_KEY", P{"app_id": id}).OK()
}

// A scope that is taken back from an app is missing from the tokens by which it acts for people at once,
// on every replica, and from those that were exchanged for them.
func TestRevokedScopesLeaveDelegatedTokens(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app, server := wiki(ada), server(ada, "server")
		other := exchanger(ada, "other", "wiki")
		tokens := app.redeem(here, codeOf(t, ada, P{"scope": "openid email users:read offline_access"})).OK()
		access := tokens.String("access_token")
		exchanged := other.exchange(here, access, nil).OK().String("access_token")
		for _, token := range []string{access, exchanged} {
			there.With(token).Do("USER.GET", P{"user_id": ada.UserID}).OK()
		}
		ada.Do("APP.SCOPE_REVOKE", P{"app_id": app.id, "scopes": []string{"users:read"}}).OK()
		for _, one := range []*harness.Service{here, there} {
			for name, token := range map[string]string{"the token": access, "the exchanged one": exchanged} {
				one.With(token).Do("USER.GET", P{"user_id": ada.UserID}).Fails(fault.Denied)
				reply := server.by(one).Do("OAUTH.INTROSPECT", P{"token": token}).OK()
				if !reply.Bool("active") || strings.Contains(reply.String("scope"), "users:read") || !strings.Contains(reply.String("scope"), "openid") {
					t.Errorf("%s is told as %v", name, reply.Data)
				}
			}
			one.With(access).Do("OAUTH.USERINFO", nil).OK()
		}
		other.exchange(here, access, P{"scope": "users:read"}).Fails(fault.Validation)
		if next := app.refresh(there, tokens.String("refresh_token")).OK(); strings.Contains(next.String("scope"), "users:read") {
			t.Errorf("a refresh gives %s", next.String("scope"))
		}
		ada.Do("APP.SCOPE_GRANT", P{"app_id": app.id, "scopes": []string{"users:read"}}).OK()
		here.With(access).Do("USER.GET", P{"user_id": ada.UserID}).OK()
	})
}
