package mailing_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

func TestMailTakesTheLookOfItsWorkspace(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{"sqlite": harness.SQLite(t), "postgres": harness.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, database)
			ada := h.SignUp("ada@example.com")
			h.Superadmin().Do("BRANDING.SET", harness.P{"name": "Acme", "logo_url": "https://cdn.example.com/a.png", "support_email": "help@example.com"}).OK()
			ada.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": "Ada & Co", "colors": harness.P{"primary": "#aa0000"}}).OK()
			ofWorkspace := notice(ada)
			ofWorkspace.Org = workspace.ID(ada.OrgID)
			for request, want := range map[*mail.Request][]string{
				{Template: mail.Notice, UserID: ofWorkspace.UserID}:                       {"Acme", "#3a4fd0"},
				{Template: mail.Notice, UserID: ofWorkspace.UserID, Org: ofWorkspace.Org}: {"Ada &amp; Co", "#aa0000"},
			} {
				queue(t, h, *request)
				got := h.LastMail("ada@example.com")
				for _, part := range append(want, "https://cdn.example.com/a.png", "mailto:help@example.com", harness.Issuer) {
					if !strings.Contains(got.HTML, part) {
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

// The language of a look is that of people who chose none.
func TestLanguageOfALook(t *testing.T) {
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
