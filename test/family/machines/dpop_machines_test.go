package machines_test

import (
	"testing"

	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// dpopMachine registers an app and returns it with a token of its own.
func dpopMachine(h *harness.Service, owner *harness.Actor, slug string) (id string, app *harness.Actor) {
	made := owner.Do("APP.REGISTER", harness.P{"name": slug, "slug": slug, "description": ""}).OK()
	token := h.Anonymous().Do("M2M.TOKEN", harness.P{"client_id": slug, "client_secret": made.String("api_key")})
	return made.String("app.id"), h.With(token.String("access_token"))
}

func TestAppsHaveBindingsOfTheirOwn(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	appID, app := dpopMachine(h, alice, "robot")
	_, other := dpopMachine(h, alice, "other")
	own, key := dpopRegister(h, alice), h.Holder().JWK()
	theirs := app.Do("DPOP.REGISTER", harness.P{"public_jwk": key}).String("binding.id")
	app.Do("DPOP.REGISTER", harness.P{"public_jwk": key}).Fails(fault.Validation).Field("/public_jwk")
	other.Do("DPOP.REGISTER", harness.P{"public_jwk": key}).OK()
	wantIDs(t, alice.Do("DPOP.LIST", nil), own)
	wantIDs(t, app.Do("DPOP.LIST", nil), theirs)
	alice.Do("DPOP.REVOKE", harness.P{"binding_id": theirs}).Fails(fault.NotFound)
	other.Do("DPOP.REVOKE", harness.P{"binding_id": theirs}).Fails(fault.NotFound)
	app.Do("DPOP.REVOKE", harness.P{"binding_id": own}).Fails(fault.NotFound)
	app.Do("DPOP.REVOKE", harness.P{"binding_id": theirs}).OK()
	events := h.Events(dpop.KindRevoked)
	if len(events) != 1 || events[0].UserID != "" || events[0].OrgID != alice.OrgID {
		t.Errorf("events %+v, want one of the workspace %s", events, alice.OrgID)
	}
	if !app.Do("DPOP.VERIFY", dpopAbout(h.Holder().Proof("POST", orders, ""))).Bool("valid") {
		t.Error("an app cannot verify a proof")
	}
	app.Do("DPOP.THUMBPRINT", harness.P{"public_jwk": key}).OK()
	app.Do("DPOP.REGISTER", harness.P{"public_jwk": key}).OK()
	alice.Do("APP.DELETE", harness.P{"app_id": appID}).OK()
	rows, err := ops.Upkeep(h.Store).Rows(t.Context())
	if err != nil || rows["dpop_bindings"] != 2 {
		t.Errorf("%d bindings are left (%v), want those of the user and of the other app", rows["dpop_bindings"], err)
	}
}

// An API key sees and uses the bindings of its owner, and changes none.
func TestKeysUseBindings(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	key := h.With(alice.Do("API_KEY.CREATE", harness.P{"name": "ci", "scopes": []string{}}).String("key"))
	id := dpopRegister(h, alice)
	wantIDs(t, key.Do("DPOP.LIST", nil), id)
	if !key.Do("DPOP.VERIFY", dpopAbout(h.Holder().Proof("POST", orders, ""))).Bool("valid") {
		t.Error("a key cannot verify a proof")
	}
	key.Do("DPOP.THUMBPRINT", harness.P{"public_jwk": h.Holder().JWK()}).OK()
	key.Do("DPOP.REVOKE", harness.P{"binding_id": id}).Fails(fault.Denied)
}
