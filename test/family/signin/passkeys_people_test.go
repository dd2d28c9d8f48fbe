package signin_test

import (
	"encoding/base64"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/test/harness"
)

const (
	passkeyAddress = "alice@example.com"
	passkeyNobody  = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	passkeyNothing = "pky_01jd7x9k2mf3q8v5t0abcdefgh"
)

// options begins a registration.
func options(of *harness.Actor) P {
	return of.Do("WEBAUTHN.REGISTER_OPTIONS", nil).OK().Data["options"].(P)
}

// asked begins a login.
func asked(h *harness.Service, params P) P {
	return h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", params).OK().Data["options"].(P)
}

// answer ends a login.
func answer(h *harness.Service, credential P) *harness.Reply {
	return h.Anonymous().Do("WEBAUTHN.LOGIN_VERIFY", P{"credential": credential})
}

// passkeyID is the newest passkey of somebody.
func passkeyID(of *harness.Actor) string {
	return of.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]["id"].(string)
}

// failed is the content of login.failed.
func failed(userID, reason string) string {
	if userID == "" {
		return `{"reason":"` + reason + `"}`
	}
	return `{"user_id":"` + userID + `","reason":"` + reason + `"}`
}

// refused holds a login to have been refused for a reason that only the event tells.
func refused(t *testing.T, h *harness.Service, r *harness.Reply, userID, reason string) {
	t.Helper()
	r.Fails(fault.Auth)
	if r.Failure.Message != "the passkey was not accepted: start again" {
		t.Errorf("message = %q", r.Failure.Message)
	}
	events := data(h, loginevent.KindFailed)
	if len(events) == 0 || events[0] != failed(userID, reason) {
		t.Errorf("events = %v, want %s first", events, failed(userID, reason))
	}
}

// amr is how a session was proved.
func amr(h *harness.Service, pair *harness.Reply) []string {
	return h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK().Strings("amr")
}

// later moves the clock beyond a recent authentication.
func later(h *harness.Service) { h.Clock.Advance(14*time.Minute + 2*time.Minute) }

// encoded is what the authenticator calls its passkey.
func encoded(device *harness.Authenticator) string {
	return base64.RawURLEncoding.EncodeToString(device.Key.ID)
}
