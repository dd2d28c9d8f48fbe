package pages_test

import (
	"os"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/fake/upstream"
)

// Every page fits on every kind of screen, can be told by a screen reader, and does
// nothing that its own policy forbids.
func TestEveryPageFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := browser.House(t, on, upstream.Environment(upstream.StartAll(t))...)
		w := browser.NewTab(t, at)
		device := w.Authenticator()
		w.Open("/nothing/here").Sees("Page not found").Picture("nowhere")
		w.Open("/login").Picture("login")
		w.Fill("Email address", "ada@example.com").Fill("Password", "wrong wrong wrong").Press("Sign in").Picture("login-refused")
		w.Open("/signup").Picture("signup")
		w.Open("/recover").Picture("recover")
		w.Fill("Email address", "nobody@example.com").Press("Send link").Picture("recover-sent")
		w.Open("/recover?token=none").Picture("recover-expired")
		w.Open("/login").Fill("Email address", "nobody@example.com").Press("Email me a code instead").Picture("login-code")
		p := instance.Newcomer()
		w.Register(p).Picture("account")
		w.Open("/account/profile/name").Picture("name")
		w.Open("/account/profile/email").Picture("email")
		w.Open("/account/profile/delete").Picture("delete")
		w.Open("/account/confirm").Picture("confirm")
		w.Open("/account/security").Picture("security-empty")
		w.Press("Add a passkey").Sees("Passkey added")
		w.Press("Add an authenticator app").Picture("totp")
		secret := otpSecret(w)
		w.Fill("Code", instance.TOTP(t, secret, 0)).Press("Enable").Picture("recovery-codes")
		w.Press("I saved my codes").Picture("security")
		w.Press("Remove Authenticator app").Picture("remove-factor")
		w.Open("/account/security").Press("Create new codes").Picture("new-codes")
		w.Open("/account/security/password").Picture("password")
		w.Open("/account/sessions").Picture("sessions")
		w.Open("/account/connections").Picture("connections")
		w.Open("/account/keys/new").Picture("key-new")
		w.Fill("Name", "Nightly backup").Press("Create API key").Picture("keys")
		w.Press("Revoke Nightly backup").Picture("revoke-key")
		w.Open("/account/notices").Picture("notices")
		w.Open("/account/notices/mail").Picture("notices-mail")
		w.Open("/account/nowhere").Picture("not-found")
		w.Open("/logout").Picture("logout")
		w.Lost(device)
		w.Press("Sign out").Sees("You are signed out")
		w.Fill("Email address", p.Email).Fill("Password", p.Password).Press("Sign in").At("/login/factor").Picture("factor")
		w.Press("Recovery code").Picture("factor-recovery")

		admin, grace := at.Admin(), at.SignUp()
		for _, action := range []string{"enroll_mfa", "verify_email"} {
			at.As(admin, "USER.SET_REQUIRED_ACTIONS", P{"user_id": grace.ID, "actions": []string{action}}).OK()
			arrive(w, grace).At("/login/required").Picture("required-" + action)
		}
		ticket := at.As(admin, "USER.TICKET_CREATE", P{"user_id": grace.ID, "purpose": "login"})
		w.Open(ticket.Text("url")).Picture("link")
		ticket = at.As(admin, "USER.TICKET_CREATE", P{"user_id": grace.ID, "purpose": "password_reset"})
		w.Open(ticket.Text("url")).Picture("reset")
		ticket = at.As(admin, "USER.TICKET_CREATE", P{"user_id": grace.ID, "purpose": "email_verify"})
		w.Open(ticket.Text("url")).Picture("verify")
		w.Open("/invitation?token=none").Picture("invitation-expired")
		at.As(admin, "USER.SET_REQUIRED_ACTIONS", P{"user_id": grace.ID, "actions": []string{}}).OK()
		at.As(admin, "USER.SET_PASSWORD", P{"user_id": grace.ID, "password": "a temporary phrase", "temporary": true}).OK()
		grace.Password = "a temporary phrase"
		arrive(w, grace).At("/login/required").Picture("required-change_password")
		at.As(admin, "POLICY.SET", P{"kind": "risk", "values": P{"new_device": 80}}).OK()
		suspect, seen := browser.NewTab(t, at), at.SignUp()
		arrive(suspect, seen).Open("/account/sessions/sign-ins").Sees("High risk").Picture("sign-ins")
		suspect.Open("/account/notices").Sees("Unusual sign-in to your account").Picture("notices-risk")
		suspect.Press("Review your sign-ins").Find("the question", `all => all.find(e => (e.ariaLabel || "").startsWith("It wasn't me"))`)
		suspect.Follow().Sees("Report this sign-in?").Picture("sign-in-not-mine")
		at.As(admin, "IMPERSONATION.START", P{"user_id": seen.ID, "reason": "Ticket 4711", "read_only": true}).OK()
		suspect.Open("/account/sessions/support").Sees("Ticket 4711").Picture("support")
		at.As(admin, "SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
		w.Open("/signup").Sees("by invitation").Picture("signup-closed")
	})
}

// The pages of a development instance: an account, its mail, and a command are a few
// clicks away from the address alone.
func TestDevelopmentPages(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := browser.House(t, on)
		w := browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Open("/").Sees("Your development instance").Sees(instance.AdminEmail).Sees("No emails yet").Picture("dev-start")
		w.Press("Create an account").At("/signup").Register(p)
		w.Open("/dev/mail").Sees(p.Email).Picture("dev-mail")
		w.Press("Confirm your email address").Picture("dev-letter")
		w.Press("Open the link").At("/verify").Press("Confirm address").Sees("Your address is confirmed.")
		w.Press("Sign out").Open("/").Press("Sign in as superadmin").At("/").Sees("Superadmin").Sees(p.Email).Picture("dev-start-superadmin")
		w.Press("Commands").At("/dev/commands").Picture("dev-commands")
		w.Fill("Search commands", "list sessions").Eventually("fewer commands", func() (bool, error) {
			return !strings.Contains(w.Text(), "APP.REGISTER") && strings.Contains(w.Text(), "SESSION.LIST"), nil
		})
		w.Press("SESSION.LIST").Press("Run").Sees("OK").Sees("\"current\": true").Picture("dev-command-ran")
		w.Open("/dev/commands/APP.REGISTER").Press("Fill in the example").Picture("dev-command")
		w.Open("/dev/commands/USER.GET").Fill("user_id", "nobody").Press("Run").Sees("VALIDATION_ERROR").Picture("dev-command-refused")
	})
}

// Whatever colors are set, texts can be read, on pages before and after the login.
func TestEveryLookFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		admin := at.Admin()
		w := browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Register(p)
		for name, look := range map[string]P{
			"modest": {"name": "Acme & Sons", "support_email": "help@acme.example", "colors": P{"primary": "#0a6847", "primary_dark": "#7ee2b8", "background": "#eef6f1"}},
			"loud": {"name": "Sunny Side of the Street and Its Many Neighbors", "colors": P{
				"primary": "#ffdd00", "background": "#102a83", "primary_dark": "#333333", "background_dark": "#ff8800",
			}},
			"gray": {"name": "G", "support_email": "help@acme.example", "colors": P{"primary": "#777777", "background": "#777777", "background_dark": "#777777"}},
		} {
			at.As(admin, "BRANDING.SET", look).OK()
			w.Open("/recover").Sees(look["name"].(string)).Picture("look-" + name + "-recover")
			w.Open("/account").Sees(look["name"].(string)).Picture("look-" + name + "-account")
		}
	})
}
