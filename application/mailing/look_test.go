package mailing_test

import (
	"context"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

// proved signs somebody up whose address is proved.
func proved(h *harness.Service, address string) *harness.Actor {
	who := h.SignUp(address)
	h.Anonymous().Do("AUTH.VERIFY_EMAIL", harness.P{"token": h.LastMail(address).Token()}).OK()
	return who
}

func TestMailUsesTheBrandingOfItsWorkspace(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			ada := proved(h, "ada@example.com")
			h.Superadmin().Do("BRANDING.SET", harness.P{"name": "Acme", "logo_url": "https://cdn.example.com/a.png", "support_email": "help@example.com"}).OK()
			ada.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": "Ada & Co", "colors": harness.P{"primary": "#aa0000"}}).OK()
			ofWorkspace := notice(ada)
			ofWorkspace.Org = workspace.ID(ada.OrgID)
			for request, want := range map[*mail.Request][]string{
				{Template: mail.Notice, UserID: ofWorkspace.UserID}:                       {"Acme", "#3a4fd0"},
				{Template: mail.Notice, UserID: ofWorkspace.UserID, Org: ofWorkspace.Org}: {"Ada & Co", "#aa0000"},
			} {
				queue(t, h, *request)
				got := h.LastMail("ada@example.com")
				if got.From != want[0] {
					t.Errorf("the mail is from %q, want %q", got.From, want[0])
				}
				for _, part := range append(want, "https://cdn.example.com/a.png", "mailto:help@example.com", harness.Issuer) {
					if !strings.Contains(got.HTML, html.EscapeString(part)) {
						t.Errorf("the mail lacks %s: %s", part, got.HTML)
					}
				}
				if !strings.Contains(got.Text, "help@example.com") {
					t.Errorf("the text is %s", got.Text)
				}
			}
		})
	}
}

// What somebody is mailed is written as their workspace has it, but for the warnings.
func TestMailTakesTheWordsOfItsWorkspace(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			root, ada, bob, eve := h.Superadmin(), proved(h, "ada@example.com"), proved(h, "bob@example.com"), h.SignUp("eve@example.com")
			root.Do("EMAIL.TEMPLATE_SET", harness.P{"template": "security_notice", "subject": "The instance warns", "html": "<p>x</p>"}).OK()
			for template, body := range map[string]string{
				"password_reset": `<a href="{{.link}}">x</a>`, "login_code": "<p>{{.code}}</p>", "security_notice": "<p>x</p>",
				"confirm_email_change": `<a href="{{.link}}">x</a>`,
			} {
				for _, who := range []*harness.Actor{ada, eve} {
					who.Do("EMAIL.TEMPLATE_SET", harness.P{"template": template, "subject": "Ada's own", "html": body}).OK()
				}
			}
			ask := func(who *harness.Actor, command string, params harness.P) string {
				t.Helper()
				who.Do(command, params).OK()
				return h.LastMail(params["email"].(string)).Subject
			}
			for address, want := range map[string][2]string{
				"ada@example.com": {"Ada's own", "Ada's own"}, "bob@example.com": {"Reset your password", "sign-in code"},
				// Nobody has proved that this address is theirs.
				"eve@example.com": {"Reset your password", "sign-in code"},
			} {
				if got := ask(h.Anonymous(), "AUTH.FORGOT_PASSWORD", harness.P{"email": address}); got != want[0] {
					t.Errorf("%s is told of a reset by %q", address, got)
				}
				if got := ask(h.Anonymous(), "AUTH.PASSWORDLESS_START", harness.P{"email": address}); !strings.Contains(got, want[1]) {
					t.Errorf("%s is told a code by %q", address, got)
				}
			}
			ada.Do("USER.CHANGE_EMAIL", harness.P{"new_email": "stranger@example.com", "password": harness.Password}).OK()
			if got := h.LastMail("stranger@example.com").Subject; got == "Ada's own" {
				t.Error("a stranger reads what Ada wrote")
			}
			for _, who := range []*harness.Actor{ada, bob} {
				queue(t, h, notice(who))
			}
			for _, address := range []string{"ada@example.com", "bob@example.com"} {
				if got := h.LastMail(address).Subject; got != "The instance warns" {
					t.Errorf("%s is warned by %q", address, got)
				}
			}
		})
	}
}

// The language of a look is that of people who chose none.
func TestDefaultLanguageOfBranding(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), h.SignUp("ada@example.com")
	for _, locale := range []string{"de", "fr"} {
		root.Do("EMAIL.TEMPLATE_SET", harness.P{"template": "security_notice", "locale": locale, "subject": locale, "html": "<p>x</p>"}).OK()
	}
	subject := func() string {
		queue(t, h, notice(ada))
		return h.LastMail("ada@example.com").Subject
	}
	if got := subject(); got != "News" {
		t.Errorf("without a language: %q", got)
	}
	root.Do("BRANDING.SET", harness.P{"locale": "de-CH"}).OK()
	if got := subject(); got != "de" {
		t.Errorf("of the look: %q", got)
	}
	ada.Do("USER.UPDATE", harness.P{"locale": "fr"}).OK()
	if got := subject(); got != "fr" {
		t.Errorf("of the person: %q", got)
	}
}

// Whoever gives a stranger's address for theirs chooses nothing that the stranger reads,
// whatever the mail is.
func TestAnUnprovedAddressReadsNothingThatItsSenderChose(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	const chosen = "Unmistakable"
	ada := h.SignUp("ada@example.com")
	verify := h.LastMail("ada@example.com").Token()
	ada.Do("USER.UPDATE", harness.P{"display_name": chosen}).OK()
	ada.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": chosen}).OK()
	h.Superadmin().Do("BRANDING.SET", harness.P{"name": "Acme"}).OK()
	all := func() (letters []harness.Letter) {
		for i, template := range mail.Templates() {
			ask := mail.Request{
				Template: template, UserID: user.ID(ada.UserID), Org: workspace.ID(ada.OrgID),
				Facts: map[string]string{"new_email": chosen + "@example.org"},
				Link:  mail.Link{Kind: challenge.PasswordReset, Minutes: 30, Page: "/recover"},
			}
			if template == mail.LoginCode || template == mail.FactorCode {
				ask.Link, ask.Challenge, ask.CodeMinutes = mail.Link{}, challenge.Digest(fmt.Sprint("handle", i)), 10
				change(t, h, func(ctx context.Context, tx repos) error {
					now := h.Clock.Now()
					return tx.Challenges.Open(ctx, challenge.Challenge{
						Digest: ask.Challenge, Kind: challenge.LoginCode, UserID: ask.UserID, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
					})
				})
			}
			had := len(h.Mail("ada@example.com"))
			queue(t, h, ask)
			got := h.Mail("ada@example.com")
			if len(got) == had {
				t.Fatalf("%s is not mailed", template)
			}
			letters = append(letters, got[len(got)-1])
		}
		return letters
	}
	for _, got := range all() {
		if text := got.From + got.Subject + got.HTML + got.Text; strings.Contains(text, chosen) || !strings.Contains(text, "Acme") {
			t.Errorf("%s says %s", got.Subject, text)
		}
	}
	ada.Do("AUTH.VERIFY_EMAIL", harness.P{"token": verify}).OK()
	ada.Do("USER.UPDATE", harness.P{"display_name": chosen}).OK()
	asked := mail.Request{
		Template: mail.ChangeRequested, UserID: user.ID(ada.UserID), To: address("ada@example.com"), Facts: map[string]string{"new_email": "ada@example.org"},
	}
	queue(t, h, asked)
	if got := h.LastMail("ada@example.com"); !strings.Contains(got.Text, "Hello "+chosen) || !strings.Contains(got.Text, "ada@example.org") {
		t.Errorf("a proved address reads %s", got.Text)
	}
}
