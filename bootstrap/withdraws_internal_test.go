package bootstrap

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/event"
)

// withdrawals are the kinds of events that tell of access which was taken away.
func withdrawals() []event.Kind {
	return []event.Kind{
		"api_key.leak_reported", "api_key.revoked", "app.scopes_revoked", "app.secret_revoked", "device.revoked", "dpop_binding.revoked",
		"group_member.removed", "identity.unlinked", "impersonation.stopped", "invitation.revoked", "jwt_key.revoked", "license.revoked", "license.suspended",
		"license_lease.released", "license_seat.unassigned", "m2m_token.revoked", "machine.deactivated", "oauth_consent.revoked", "oauth_token.revoked",
		"passkey.revoked", "role.unassigned", "session.revoked", "team.disabled", "team_member.removed", "user.disabled",
	}
}

// Read-only maintenance lets through what only takes access away: every command that
// emits nothing else, but for those that say why not.
func TestWhatWithdrawsAccess(t *testing.T) {
	t.Parallel()
	p := storeless()
	if err := p.declare(); err != nil {
		t.Fatal(err)
	}
	const begins = "begins a sign-up or sign-in, and ends the invitation of a stranger on the way"
	const mixed = "by its parameters"
	otherwise := map[string]string{
		"SOCIAL.AUTH_URL": begins, "WEBAUTHN.SIGNUP_OPTIONS": begins,
		"IMPERSONATION.SET_CONSENT": mixed, "RISK.FEEDBACK_SUBMIT": mixed,
	}
	for _, d := range p.registry.All() {
		only := len(d.Emits) > 0 && !slices.ContainsFunc(d.Emits, func(kind event.Kind) bool { return !slices.Contains(withdrawals(), kind) })
		if why := otherwise[d.Name]; why != "" {
			delete(otherwise, d.Name)
			only = !only
		}
		if d.Withdraws != only {
			t.Errorf("%s withdraws access: %v, by its events %v it is %v", d.Name, d.Withdraws, d.Emits, only)
		}
		if _, action, _ := strings.Cut(d.Name, "."); strings.Contains(action, "REVOKE") && (!d.Withdraws || d.Effect == command.Reads) {
			t.Errorf("%s is refused in read-only maintenance", d.Name)
		}
	}
	for name := range otherwise {
		t.Errorf("there is no %s", name)
	}
}
