package machines_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse.internal/test/harness"
)

// product is an application with its configuration for this service.
type product struct {
	// asks is its authorization request, which has PKCE only if pkce is set.
	asks P
	pkce bool
	// id and info are the claims that it reads from ID tokens and from userinfo, with
	// their values for Ada of the group admins.
	id, info P
}

// products are common configurations of each product, with the claims that it reads by them.
// The products themselves are not run here.
func products() map[string]product {
	const email, name = "ada@example.com", "Ada Lovelace"
	groups := []any{"admins"}
	return map[string]product{
		// [auth.generic_oauth] scopes, use_pkce, login_attribute_path = preferred_username,
		// groups_attribute_path = groups, role_attribute_path = contains(groups[*], 'admins') && 'Admin' || 'Viewer'.
		// It reads the ID token first, then api_url.
		"Grafana": {
			asks: P{"scope": "openid profile email groups"}, pkce: true,
			id:   P{"email": email, "name": name, "preferred_username": email, "groups": groups},
			info: P{"email": email, "name": name, "preferred_username": email, "groups": groups},
		},
		// oidc.config with the default requestedScopes; policy.csv: g, admins, role:admin.
		"Argo CD": {
			asks: P{"scope": "openid profile email groups"},
			id:   P{"email": email, "name": name, "groups": groups},
		},
		// oidc.config with requestedScopes: ["openid", "profile", "email"] and
		// requestedIDTokenClaims: {"groups": {"essential": true}}.
		"Argo CD by claims": {
			asks: P{"scope": "openid profile email", "claims": P{"id_token": P{"groups": P{"essential": true}}}},
			id:   P{"email": email, "groups": groups},
		},
		// omniauth_providers openid_connect with uid_field: "preferred_username" and
		// gitlab: {groups_attribute: "groups", required_groups, admin_groups}.
		"GitLab": {
			asks: P{"scope": "openid profile email groups"}, pkce: true,
			info: P{"email": email, "email_verified": true, "name": name, "given_name": "Ada", "family_name": "Lovelace", "preferred_username": email, "groups": groups},
		},
		// occ user_oidc:provider --scope="openid email profile groups" --mapping-display-name=name
		// --mapping-email=email --mapping-groups=groups --group-provisioning=1
		"Nextcloud": {
			asks: P{"scope": "openid email profile groups"}, pkce: true,
			id: P{"email": email, "name": name, "groups": groups},
		},
		// OIDC_SCOPES=openid profile email, OIDC_USERNAME_CLAIM=preferred_username,
		// OIDC_USERINFO_URI.
		"Outline": {
			asks: P{"scope": "openid profile email"},
			info: P{"email": email, "name": name, "preferred_username": email},
		},
	}
}

// Applications find the claims that they read.
func TestClaimsThatProductsRead(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		ada.Do("USER.UPDATE", P{"user_id": ada.UserID, "display_name": "Ada Lovelace"}).OK()
		ada.Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail("ada@example.com").Token()}).OK()
		grouped(ada, "admins", ada.UserID)
		app := wiki(ada)
		for name, c := range products() {
			ada.Do("APP.UPDATE", P{"app_id": app.id, "require_pkce": c.pkce}).OK()
			id, info := c.signIn(t, h, app, ada)
			for claim, want := range c.id {
				sameValue(t, name+": "+claim+" of the ID token", id[claim], want)
			}
			for claim, want := range c.info {
				sameValue(t, name+": "+claim+" of userinfo", info[claim], want)
			}
			if id["sub"] == nil {
				t.Errorf("%s: no sub in %v", name, id)
			}
		}
	})
}

// signIn signs a person in as the product does.
func (c product) signIn(t *testing.T, h *harness.Service, app oauthMachine, by *harness.Actor) (id, info P) {
	t.Helper()
	redeems := P{"grant_type": "authorization_code", "client_id": app.slug, "client_secret": app.secret, "redirect_uri": callback}
	if c.pkce {
		redeems["code_verifier"] = verifier
	} else {
		c.asks["code_challenge"], c.asks["code_challenge_method"] = nil, nil
	}
	redeems["code"] = codeOf(t, by, c.asks)
	tokens := h.Anonymous().Do("OAUTH.TOKEN", redeems).OK()
	return claimsOf(t, tokens.String("id_token")), userinfo(h, tokens)
}

func sameValue(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
