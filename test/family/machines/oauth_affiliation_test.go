package machines_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// claimsFor returns the claims of the ID token and of the UserInfo endpoint that an app gets
// for a person.
func claimsFor(t *testing.T, h *harness.Service, app oauthMachine, by *harness.Actor, more P) (id, info P) {
	t.Helper()
	more["client_id"] = app.slug
	tokens := app.redeem(h, codeOf(t, by, more)).OK()
	return claimsOf(t, tokens.String("id_token")), userinfo(h, tokens)
}

// userinfo returns the claims of the UserInfo endpoint for an access token.
func userinfo(h *harness.Service, tokens *harness.Reply) P {
	answer := h.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).OK()
	claims := answer.Data["claims"].(P)
	if custom, is := answer.Data["custom_claims"].(P); is {
		for name, value := range custom {
			claims[name] = value
		}
	}
	return claims
}

// grouped makes a group with members in somebody's workspace.
func grouped(by *harness.Actor, name string, people ...string) (id string) {
	id = by.Do("GROUP.CREATE", P{"name": name, "roles": []string{}}).OK().String("group.id")
	by.Do("GROUP.MEMBER_ADD", P{"group_id": id, "user_ids": people}).OK()
	return id
}

// texts returns a claim that is a list of texts; nil for a claim that is absent.
func texts(claims P, name string) []string {
	list, given := claims[name].([]any)
	if !given {
		return nil
	}
	found := make([]string, len(list))
	for i, one := range list {
		found[i], _ = one.(string)
	}
	return found
}

// Roles and groups of the same names in somebody's own workspace count nothing in the app
// of another one; members of the workspace that owns it have theirs wherever they act.
func TestAffiliation(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		owner, mallory := h.SignUp("owner@example.com"), h.SignUp("mallory@example.com")
		mate := member(h, h.Superadmin(), owner.OrgID, "mate@example.com", "member")
		app, asks := wiki(owner), func() P { return P{"scope": "openid roles groups"} }
		group, mateID := grouped(owner, "admins", mate.UserID), mate.UserID
		grouped(mallory, "admins", mallory.UserID)
		id, info := claimsFor(t, h, app, mallory, asks())
		for place, claims := range map[string]P{"ID token": id, "userinfo": info} {
			if claims["roles"] != nil || claims["groups"] != nil || claims["org_id"] != nil {
				t.Errorf("%s of a stranger: %v", place, claims)
			}
		}
		both := func(where string, by *harness.Actor) {
			id, info := claimsFor(t, h, app, by, asks())
			for place, claims := range map[string]P{"ID token": id, "userinfo": info} {
				same(t, where+", roles of the "+place, texts(claims, "roles"), []string{"member"})
				same(t, where+", groups of the "+place, texts(claims, "groups"), []string{"admins"})
			}
		}
		both("at home", mate)
		elsewhere := mate.Do("TEAM.CREATE", P{"name": "Elsewhere"}).OK().String("organization.id")
		mate = h.With(mate.Do("TEAM.SWITCH", P{"org_id": elsewhere}).OK().String("access_token"))
		both("elsewhere", mate)
		tokens := app.redeem(h, codeOf(t, mate, asks())).OK()
		owner.Do("GROUP.MEMBER_REMOVE", P{"group_id": group, "user_ids": []string{mateID}}).OK()
		same(t, "groups after that", texts(userinfo(h, tokens), "groups"), []string{})
		if own := mallory.Do("OAUTH.USERINFO", nil).OK(); own.Strings("claims.groups")[0] != "admins" || own.Strings("claims.roles")[0] != "owner" {
			t.Errorf("of oneself: %v", own.Data)
		}

		owner.Do("APP.UPDATE", P{"app_id": app.id, "any_workspace": true}).OK()
		_, info = claimsFor(t, h, app, mallory, asks())
		same(t, "groups of any workspace", texts(info, "groups"), []string{"admins"})
		if info["org_id"] != mallory.OrgID {
			t.Errorf("of any workspace: %v", info)
		}
	})
}

// Apps that nobody vouches for get names that say which workspace they are of.
func TestAffiliationForAppsOfTheInstance(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		ada := h.SignUp("ada@example.com")
		grouped(ada, "admins", ada.UserID)
		made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"redirect_uris": []string{callback}})).OK()
		app := oauthMachine{slug: made.String("client_id"), secret: made.String("client_secret")}
		slug := ada.Do("TEAM.GET", nil).OK().String("organization.slug")
		id, info := claimsFor(t, h, app, ada, P{"scope": "openid roles groups"})
		for place, claims := range map[string]P{"ID token": id, "userinfo": info} {
			same(t, "groups of the "+place, texts(claims, "groups"), []string{slug + "/admins"})
			same(t, "roles of the "+place, texts(claims, "roles"), []string{slug + "/owner"})
		}
	})
}

// The user name is the verified address, whatever a person calls themself.
func TestUsernames(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		owner, mallory := h.SignUp("owner@example.com"), h.SignUp("mallory@example.com")
		app := wiki(owner)
		mallory.Do("USER.UPDATE", P{"user_id": mallory.UserID, "display_name": "Ada King Lovelace"}).OK()
		scope := P{"scope": "openid profile"}
		if id, _ := claimsFor(t, h, app, mallory, scope); id["preferred_username"] != nil || id["name"] != "Ada King Lovelace" || id["given_name"] != "Ada King" || id["family_name"] != "Lovelace" {
			t.Errorf("before the address is verified: %v", id)
		}
		mallory.Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail("mallory@example.com").Token()}).OK()
		mallory = h.Login("mallory@example.com", harness.Password)
		if id, info := claimsFor(t, h, app, mallory, scope); id["preferred_username"] != "mallory@example.com" || info["preferred_username"] != "mallory@example.com" || id["email"] != nil {
			t.Errorf("afterwards: %v, %v", id, info)
		}
		if id, _ := claimsFor(t, h, app, mallory, P{"scope": "openid"}); id["preferred_username"] != nil || id["given_name"] != nil {
			t.Errorf("without the scope: %v", id)
		}
	})
}

// Apps define claims of people, from what their scopes give and, for members, from what
// the administrators store. Four of the standard claims may be replaced.
func TestCustomClaimsOfPeople(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		owner, root := h.SignUp("owner@example.com"), h.Superadmin()
		app, mate := wiki(owner), member(h, root, owner.OrgID, "mate@example.com", "member")
		stranger := h.SignUp("stranger@example.com")
		grouped(owner, "ops", mate.UserID)
		for _, who := range []*harness.Actor{mate, stranger} {
			root.Do("USER.SET_METADATA", P{"user_id": who.UserID, "metadata_json": P{"login": "x1"}}).OK()
		}
		owner.Do("APP.SET_CLAIMS", P{"app_id": app.id, "claims": P{
			"preferred_username": "user.metadata_json.login", "given_name": "7", "family_name": `"of " + workspace.name`,
			"groups": `user.groups.map(g, "wiki-" + g)`, "mail": "user.email", "https://a.example/app": "app.slug",
		}}).OK()
		id, info := claimsFor(t, h, app, mate, P{"scope": "openid profile email groups"})
		for place, claims := range map[string]P{"ID token": id, "userinfo": info} {
			if claims["preferred_username"] != "x1" || claims["given_name"] == 7.0 || claims["family_name"] != "of Personal workspace" ||
				claims["mail"] != "mate@example.com" || claims["https://a.example/app"] != "wiki" {
				t.Errorf("%s of a member: %v", place, claims)
			}
			same(t, "groups of the "+place, texts(claims, "groups"), []string{"wiki-ops"})
		}
		id, info = claimsFor(t, h, app, stranger, P{"scope": "openid"})
		for place, claims := range map[string]P{"ID token": id, "userinfo": info} {
			for _, name := range []string{"preferred_username", "family_name", "groups", "mail"} {
				if claims[name] != nil {
					t.Errorf("%s of a stranger has %s: %v", place, name, claims)
				}
			}
		}
		if id, _ := claimsFor(t, h, app, stranger, P{"scope": "openid profile email groups"}); id["preferred_username"] == "x1" || id["mail"] != "stranger@example.com" {
			t.Errorf("of a stranger who agrees: %v", id)
		}
	})
}

// Claims that are too large cost nobody a refresh token.
func TestCustomClaimsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		owner := h.SignUp("owner@example.com")
		app := wiki(owner)
		tokens := app.redeem(h, codeOf(t, owner, P{"scope": "openid offline_access"})).OK()
		large := P{}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			large[name] = `[1,2,3,4,5,6,7,8,9,10].map(x, "` + strings.Repeat("x", 100) + `")`
		}
		owner.Do("APP.SET_CLAIMS", P{"app_id": app.id, "claims": large}).OK()
		for range 3 {
			app.refresh(h, tokens.String("refresh_token")).Fails(fault.Validation)
			h.Clock.Advance(time.Minute)
		}
		owner.Do("APP.SET_CLAIMS", P{"app_id": app.id, "claims": P{}}).OK()
		app.refresh(h, tokens.String("refresh_token")).OK()
	})
}
