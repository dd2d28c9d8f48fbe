package machines_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestSetClaims(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", nil)
	claims := P{"plan": "user.metadata_json.plan", "https://a.example/org": "workspace.name"}
	set := alice.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": claims}).OK()
	if diff := cmp.Diff(claims, set.Data["claims"]); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	wantEvent(t, h, app.KindClaimsSet, alice.OrgID, id, `"names":["https://a.example/org","plan"]`)
	if data := string(only(t, h, app.KindClaimsSet).Data); strings.Contains(data, "metadata") {
		t.Errorf("the event holds an expression: %s", data)
	}
	alice.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": claims}).OK()
	only(t, h, app.KindClaimsSet)
	if got := alice.Do("APP.GET", P{"app_id": id}); got.String("app.claims.plan") != "user.metadata_json.plan" {
		t.Errorf("the app has %v", got.Data)
	}
	none := alice.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": P{}}).OK()
	if diff := cmp.Diff(P{}, none.Data["claims"]); diff != "" {
		t.Errorf("claims after removing them (-want +got):\n%s", diff)
	}
}

func TestSetClaimsRefuses(t *testing.T) {
	t.Parallel()
	alice := harness.New(t).SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", nil)
	for _, name := range []string{
		"iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "client_id", "scope", "cnf", "sid", "org_id", "roles", "email", "auth_time", "amr", "Sub",
		"Groups", "permissions", "features", "permissions_overflow", "urn:gatehouse:grant", "entitlements", "act", "may_act", "name", "nickname", "role", "scp", "kubernetes.io",
	} {
		alice.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": P{name: "1"}}).Fails(fault.Validation).Field("/claims/" + name)
	}
	for expression, place := range map[string]string{
		"user.emial":               "line 1, column 5: ",
		"1 +\n  nobody":            "line 2, column 3: ",
		"user.email + 1":           "line 1, column 12: ",
		"":                         "must not be empty",
		strings.Repeat("1+", 600):  "1,024",
		"app.secrets":              "line 1, column 4: ",
		"workspace.members.size()": "line 1, column 10: ",
	} {
		refused := alice.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": P{"good": "1", "bad:/one": expression}}).Fails(fault.Validation)
		refused.Field("/claims/bad:~1one")
		if len(refused.Failure.Fields) != 1 || !strings.Contains(refused.Failure.Message, place) {
			t.Errorf("%q is refused with %+v, want %q", expression, refused.Failure.Fields, place)
		}
	}
	if got := alice.Do("APP.GET", P{"app_id": id}); len(got.Data["app"].(P)["claims"].(P)) != 0 {
		t.Error("refused claims were stored")
	}
}

func TestPreviewOfAMachine(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", P{"scopes": []string{"apps:*", "invoices:read"}})
	alice.Do("APP.UPDATE", P{"app_id": id, "access_ttl_seconds": 600}).OK()
	alice.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": P{
		"kind": `user == null ? "machine" : "person"`, "team": "workspace.name", "owned": "workspace.personal", "mail": "user.email",
		"none": "null", "self": `{"slug": app.slug, "type": app.type, "same": app.id != workspace.id}`,
	}}).OK()
	now := h.Clock.Now().Unix()
	want := P{
		"iss": harness.Issuer, "sub": "billing", "azp": "billing", "client_id": "billing", "aud": harness.Issuer,
		"exp": float64(now + 600), "iat": float64(now), "jti": "00000000-0000-0000-0000-000000000000", "scope": "apps:* invoices:read",
		"org_id": alice.OrgID, "kind": "machine", "team": "Personal workspace", "owned": true,
		"self": P{"slug": "billing", "type": "service", "same": true},
	}
	got := alice.Do("APP.PREVIEW_TOKEN", P{"app_id": id}).OK()
	if diff := cmp.Diff(want, got.Data["claims"]); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	same(t, "dropped", got.Strings("dropped_scopes"), nil)
	asked := alice.Do("APP.PREVIEW_TOKEN", P{
		"app_id": id, "audience": "https://api.example.com", "scopes": []string{"apps:read", "users:read", "invoices:write", "invoices:read"},
	}).OK()
	if asked.String("claims.aud") != "https://api.example.com" || asked.String("claims.scope") != "apps:read invoices:read" {
		t.Errorf("claims %v", asked.Data["claims"])
	}
	same(t, "dropped", asked.Strings("dropped_scopes"), []string{"users:read", "invoices:write"})
	free, _ := appRegister(alice, "free", nil)
	unlisted := alice.Do("APP.PREVIEW_TOKEN", P{"app_id": free, "scopes": []string{"anything", "users:read"}})
	same(t, "dropped of an app without a list", unlisted.Strings("dropped_scopes"), []string{"users:read"})
	if empty := alice.Do("APP.PREVIEW_TOKEN", P{"app_id": id, "scopes": []string{}}); empty.String("claims.scope") != "" {
		t.Errorf("no scopes asked for, got %q", empty.String("claims.scope"))
	}
	if events := h.Events("m2m_token.issued"); len(events) != 0 {
		t.Error("a preview issued a token")
	}
}

// Claims that were set before their names were reserved are in no token, and the
// preview says so.
func TestReservedClaimsThatWereStored(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, secret := appRegister(alice, "billing", nil)
	const stored = `{"groups":"['system:masters']","permissions":"['system:masters']","tier":"'gold'"}`
	if _, err := h.Store.Database().Write.ExecContext(t.Context(), `UPDATE apps SET claims = ?, version = version + 1`, stored); err != nil {
		t.Fatal(err)
	}
	issued := h.Anonymous().Do("M2M.TOKEN", P{"client_id": "billing", "client_secret": secret}).String("access_token")
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(issued, ".")[1])
	if err != nil || strings.Contains(string(payload), "system:masters") || !strings.Contains(string(payload), `"tier":"gold"`) {
		t.Errorf("the token carries %s, %v", payload, err)
	}
	preview := alice.Do("APP.PREVIEW_TOKEN", P{"app_id": id}).OK()
	if preview.Has("claims.groups") || preview.String("claims.tier") != "gold" {
		t.Errorf("the preview has %v", preview.Data["claims"])
	}
	same(t, "dropped claims", preview.Strings("dropped_claims"), []string{"permissions"})
}

// What M2M.TOKEN refuses as too long has no preview either.
func TestNoPreviewOfATokenThatIsTooLong(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, secret := appRegister(alice, "billing", nil)
	asked := func(scopes int) []string {
		asked := make([]string, scopes)
		for i := range asked {
			asked[i] = fmt.Sprintf("%099d", i)
		}
		return asked
	}
	for scopes, fits := range map[int]bool{30: true, 31: false} {
		previewed := alice.Do("APP.PREVIEW_TOKEN", P{"app_id": id, "scopes": asked(scopes)})
		issued := h.Anonymous().Do("M2M.TOKEN", P{"client_id": "billing", "client_secret": secret, "scopes": asked(scopes)})
		for name, answer := range map[string]*harness.Reply{"preview": previewed, "token": issued} {
			if fits {
				answer.OK()
			} else if got := answer.Fails(fault.Validation).Failure.Message; !strings.HasPrefix(got, "invalid_scope: the token would exceed 8 KiB") {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

func TestPreviewOfAPerson(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner, root := h.SignUp("owner@example.com"), h.Superadmin()
	ada := member(h, root, owner.OrgID, "ada@example.com", "member")
	root.Do("USER.SET_METADATA", P{"user_id": ada.UserID, "metadata_json": P{"plan": "pro"}}).OK()
	id, _ := appRegister(owner, "portal", P{"type": "web", "scopes": []string{"users:read", "apps:read", "openid"}})
	owner.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": P{
		"plan": "user.metadata_json.plan", "domain": `user.email.split("@")[1]`, "admin": `"admin" in user.roles`, "seat": "user.metadata_json.seat",
	}}).OK()
	got := owner.Do("APP.PREVIEW_TOKEN", P{"app_id": id, "user_id": ada.UserID}).OK()
	for name, want := range map[string]string{
		"claims.sub": ada.UserID, "claims.email": "ada@example.com", "claims.azp": "portal", "claims.client_id": "portal",
		"claims.org_id": owner.OrgID, "claims.scope": "openid users:read", "claims.plan": "pro", "claims.domain": "example.com",
	} {
		if got.String(name) != want {
			t.Errorf("%s = %q, want %q", name, got.String(name), want)
		}
	}
	if got.Bool("claims.admin") || got.Has("claims.seat") {
		t.Errorf("claims %v", got.Data["claims"])
	}
	same(t, "roles", got.Strings("claims.roles"), []string{"member"})
	dropped := owner.Do("APP.PREVIEW_TOKEN", P{"app_id": id, "user_id": ada.UserID, "scopes": []string{"apps:read", "openid"}})
	same(t, "dropped", dropped.Strings("dropped_scopes"), []string{"apps:read"})
}

func TestPreviewRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("owner@example.com")
	mate := member(h, h.Superadmin(), owner.OrgID, "mate@example.com", "admin")
	id, _ := appRegister(owner, "portal", P{"type": "web"})
	preview := func(a *harness.Actor, more P) *harness.Reply {
		more["app_id"] = id
		return a.Do("APP.PREVIEW_TOKEN", more)
	}
	preview(owner, P{}).Fails(fault.Validation).Field("/user_id")
	reader := appKey(h, owner, "apps:read")
	preview(reader, P{"user_id": mate.UserID}).Fails(fault.Denied)
	preview(reader, P{"user_id": owner.UserID}).OK()
	preview(appKey(h, owner, "apps:read", "users:read"), P{"user_id": mate.UserID}).OK()
	preview(owner, P{"user_id": owner.UserID, "audience": "two words"}).Fails(fault.Validation).Field("/audience")
	preview(owner, P{"user_id": owner.UserID, "scopes": []string{"a b"}}).Fails(fault.Validation).Field("/scopes/0")
	huge := P{}
	for _, name := range []string{"a", "b", "c"} {
		huge[name] = `["` + strings.Repeat("x", 900) + `"].map(s, s + s)`
	}
	owner.Do("APP.SET_CLAIMS", P{"app_id": id, "claims": huge}).OK()
	preview(owner, P{"user_id": owner.UserID}).Fails(fault.Validation)
}
