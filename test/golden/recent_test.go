package golden_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/bootstrap"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/ticket"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/inbound"
)

// lasting are the kinds of events that tell of a lasting credential, of a change to what
// lets somebody in, or of who is mighty (contract section 3).
func lasting() []event.Kind {
	return []event.Kind{
		apikey.KindCreated, apikey.KindRotated, apikey.KindUpdated,
		app.KindRegistered, app.KindKeyRotated, app.KindKeysSet, app.KindScopesGranted, app.KindClaimsSet, app.KindUpdated,
		credential.KindChanged, credential.KindSet, device.KindTrusted, identity.KindLinked, identity.KindUnlinked,
		mfa.KindEnrolled, mfa.KindRemoved, mfa.KindReset, mfa.KindRegenerated, mfa.KindBypassCreated,
		passkey.KindRegistered, passkey.KindRevoked, ticket.KindCreated,
		user.KindCreated, user.KindDeleted, user.KindEnabled, user.KindEmailChanged, user.KindEmailChangeRequested, user.KindSuperadminChanged,
		workspace.KindRoleAssigned, workspace.KindRoleUnassigned,
		signingkey.KindRotated, signingkey.KindRevoked, signingkey.KindScheduleSet,
		policy.EventUpdated, setting.KindUpdated, social.KindProviderUpdated, impersonation.KindStarted,
	}
}

// Commands that a session may call ask for a recent login when they do what must not be
// done by somebody who finds an open browser. What is open to all needs a secret instead,
// such as a mailed token.
func TestLastingChangesAskForARecentLogin(t *testing.T) {
	t.Parallel()
	commands, _, err := bootstrap.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[event.Kind]bool{}
	for _, d := range commands {
		for _, kind := range d.Events {
			recorded[kind] = true
			if !bySale(d.Name, kind) && !byConsent(d.Name, kind) && slices.Contains(lasting(), kind) && slices.Contains(d.Callers, "session") && d.Access != "public" && !d.Recent {
				t.Errorf("%s stores %s: its access must be Recent", d.Name, kind)
			}
		}
	}
	for _, kind := range lasting() {
		if !recorded[kind] {
			t.Errorf("no command stores %s", kind)
		}
	}
}

// bySale reports whether a command gives or takes a role as a sale does: which one is decided
// by the product and what was paid, and not by who calls.
func bySale(command string, kind event.Kind) bool {
	return strings.HasPrefix(command, "BILLING.") && (kind == workspace.KindRoleAssigned || kind == workspace.KindRoleUnassigned)
}

// byConsent reports whether a command keeps a client that an address describes, as it is let in:
// what it may is what the person consents to.
func byConsent(command string, kind event.Kind) bool {
	return command == "OAUTH.CONSENT_DECIDE" && (kind == app.KindRegistered || kind == app.KindUpdated)
}

// recent lists the commands that ask sessions for a recent login.
func recent(commands []inbound.Descriptor) string {
	var text strings.Builder
	text.WriteString("Commands that ask a session for a login of the last 15 minutes, by a second factor\nwhere the account has one, with their access:\n\n")
	for _, d := range commands {
		if d.Recent {
			fmt.Fprintf(&text, "%-28s %s\n", d.Name, d.Access)
		}
	}
	return text.String()
}
