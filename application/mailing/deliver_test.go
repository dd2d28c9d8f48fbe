package mailing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

func TestMailReachesAnAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := proved(h, "Ada@example.com")
	queue(t, h, mail.Request{
		Template: mail.Notice, UserID: user.ID(ada.UserID),
		Facts: map[string]string{"headline": "Password changed", "detail": "By you.", "when": "noon", "ip": "203.0.113.7", "device": "curl"},
	})
	got := h.LastMail("ada@example.com")
	if got.Subject != "Password changed" || got.To.String() != "Ada@example.com" {
		t.Errorf("subject %q to %s", got.Subject, got.To)
	}
	for _, want := range []string{"Hello Ada,", "By you.", "noon", "203.0.113.7", "curl", harness.Issuer} {
		if !strings.Contains(got.Text, want) || !strings.Contains(got.HTML, want) {
			t.Errorf("the mail does not tell %q: %s", want, got.Text)
		}
	}
	sent := entries(t, h, mail.Notice)
	if len(sent) != 1 || sent[0].Status != mail.Sent || sent[0].Attempts != 1 || sent[0].ID != got.ID || sent[0].To != got.To {
		t.Errorf("outbox %+v", sent)
	}
	if h.DeliverMail() != 0 {
		t.Error("it was due again")
	}
}

func TestMailToAnAddressFindsItsAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	link := mail.Link{Kind: challenge.PasswordReset, Minutes: 30, Page: "/recover", Content: []byte(`{"a":1}`)}
	queue(t, h,
		mail.Request{Template: mail.PasswordReset, To: address("ADA@example.com"), Link: link},
		mail.Request{Template: mail.PasswordReset, To: address("nobody@example.com"), Link: link},
	)
	got := h.LastMail("ada@example.com")
	if !strings.HasPrefix(got.Link(), harness.Issuer+"/recover?token=") || !strings.Contains(got.HTML, got.Token()) || !strings.Contains(got.Text, "30 minutes") {
		t.Errorf("link %s in %s", got.Link(), got.Text)
	}
	if len(h.Mail("nobody@example.com")) != 0 || len(entries(t, h, mail.PasswordReset)) != 1 {
		t.Error("the address of nobody got mail, or is remembered")
	}
	change(t, h, func(ctx context.Context, tx repos) error {
		_, err := tx.Challenges.Look(ctx, challenge.EmailVerification, challenge.Digest(got.Token()), h.Clock.Now())
		if !errors.Is(err, challenge.ErrGone) {
			t.Errorf("a link of one kind is good for another: %v", err)
		}
		c, err := tx.Challenges.Take(ctx, challenge.PasswordReset, challenge.Digest(got.Token()), h.Clock.Now())
		if err == nil && (c.UserID.String() != ada.UserID || string(c.Content) != `{"a":1}` || !c.ExpiresAt.Equal(h.Clock.Now().Add(30*time.Minute))) {
			t.Errorf("challenge %+v", c)
		}
		return err
	})
}

func TestLinkLeadsToTheRedirectThatWasChecked(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	queue(t, h, mail.Request{
		Template: mail.LoginLink, UserID: user.ID(ada.UserID),
		Link: mail.Link{Kind: challenge.LoginLink, Minutes: 10, Page: "/login", RedirectURI: "https://app.example.com/in?x=1&y=a+b"},
	})
	got := h.LastMail("ada@example.com")
	if !strings.HasPrefix(got.Link(), "https://app.example.com/in?token=") || !strings.HasSuffix(got.Link(), "&x=1&y=a+b") {
		t.Errorf("link %s", got.Link())
	}
}

func TestCodeArmsItsChallenge(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	had := len(h.Mail("ada@example.com"))
	digest := challenge.Digest("handle")
	change(t, h, func(ctx context.Context, tx repos) error {
		now := h.Clock.Now()
		return tx.Challenges.Open(ctx, challenge.Challenge{
			Digest: digest, Kind: challenge.LoginCode, UserID: user.ID(ada.UserID), CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		})
	})
	ask := mail.Request{Template: mail.LoginCode, UserID: user.ID(ada.UserID), Challenge: digest, CodeMinutes: 10}
	gone := ask
	gone.Challenge = challenge.Digest("another")
	queue(t, h, ask, gone)
	got := h.Mail("ada@example.com")[had:]
	if len(got) != 1 || len(entries(t, h, mail.LoginCode)) != 1 {
		t.Fatalf("%d mails, want one: nobody waits for the other", len(got))
	}
	if got[0].Subject != got[0].Code()+" is your sign-in code" {
		t.Errorf("subject %q", got[0].Subject)
	}
	change(t, h, func(ctx context.Context, tx repos) error {
		c, err := tx.Challenges.Look(ctx, challenge.LoginCode, digest, h.Clock.Now())
		want := h.Store.Blinder().Index("challenge code/"+digest, got[0].Code())
		if err == nil && (c.Code != want || !c.CodeExpiresAt.Equal(h.Clock.Now().Add(10*time.Minute))) {
			t.Errorf("challenge %+v", c)
		}
		return err
	})
}

func TestDisabledAndDeletedAccountsGetNoMail(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, bob := h.SignUp("ada@example.com"), h.SignUpVerified("bob@example.com")
	had := len(h.Mail("ada@example.com")) + len(h.Mail("bob@example.com"))
	queue(t, h, notice(ada), notice(bob), mail.Request{Template: mail.Notice, To: address("ada@example.com")})
	h.Superadmin().Do("USER.DISABLE", harness.P{"user_id": ada.UserID}).OK()
	h.Superadmin().Do("USER.DELETE", harness.P{"user_id": bob.UserID}).OK()
	if got := len(h.Mail("ada@example.com")) + len(h.Mail("bob@example.com")); got != had+1 {
		t.Errorf("%d mails more, want that of the deletion alone", got-had)
	}
	if left := entries(t, h, mail.Notice); len(left) != 1 {
		t.Errorf("%v is remembered", left)
	}
	if left := h.Events(mail.KindFailed); len(left) != 0 {
		t.Errorf("told as failed: %v", left)
	}
}

func TestMailGoesWhereTheAccountIsByThen(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	queue(t, h, mail.Request{
		Template: mail.ConfirmChange, UserID: user.ID(ada.UserID), To: address("new@example.org"),
		Link: mail.Link{Kind: challenge.EmailChange, Minutes: 60, Page: "/account"},
	})
	if got := h.LastMail("new@example.org"); !strings.Contains(got.Link(), "/account?token=") || !strings.Contains(got.Text, "1 hour") {
		t.Errorf("mail %s", got.Text)
	}
}

func TestSuppressedAddressesGetNoMail(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	before := len(h.Mail("ada@example.com"))
	change(t, h, func(ctx context.Context, tx repos) error {
		_, err := tx.Suppressions.Add(ctx, mail.Suppression{ID: "1", Email: address("ADA@example.com"), Reason: mail.Bounce, CreatedAt: h.Clock.Now()})
		return err
	})
	queue(t, h, notice(ada))
	if len(h.Mail("ada@example.com")) != before {
		t.Error("it got mail")
	}
	left := entries(t, h, mail.Notice)
	if len(left) != 1 || left[0].Status != mail.Suppressed || left[0].LastError != "the address is suppressed: bounce" {
		t.Errorf("outbox %+v", left)
	}
}

func TestOnceIsMailedOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	ask := notice(ada)
	ask.Once = "event-1"
	queue(t, h, ask, ask)
	h.DeliverMail()
	queue(t, h, ask)
	h.DeliverMail()
	if left := entries(t, h, mail.Notice); len(left) != 1 {
		t.Errorf("%d mails, want 1", len(left))
	}
}

func TestTemplatesThatWereSetAreTaken(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := proved(h, "ada@example.com")
	ada.Do("USER.UPDATE", harness.P{"locale": "de-CH"}).OK()
	org := workspace.ID(ada.OrgID)
	source := func(subject string) mail.Source {
		return mail.Source{Subject: subject, HTML: "<p>{{.headline}}</p>", Text: "{{.headline}}"}
	}
	steps := []mail.Override{
		{Source: source("instance")},
		{Locale: "de", Source: source("instance de")},
		{Org: org, Source: source("workspace")},
		{Org: org, Locale: "fr", Source: source("workspace fr")},
		{Org: org, Locale: "de", Source: source("workspace de")},
		{Org: org, Locale: "de-ch", Source: source("workspace de-ch")},
	}
	want := []string{"instance", "instance de", "workspace", "workspace", "workspace de", "workspace de-ch"}
	for i, step := range steps {
		step.Template, step.UpdatedAt = mail.Notice, h.Clock.Now()
		change(t, h, func(ctx context.Context, tx repos) error { return tx.Templates.Set(ctx, step) })
		ask := notice(ada)
		ask.Org = org
		queue(t, h, ask)
		if got := h.LastMail("ada@example.com"); got.Subject != want[i] || got.Text != "News" {
			t.Errorf("step %d: subject %q, want %q", i, got.Subject, want[i])
		}
	}
	queue(t, h, notice(ada))
	if got := h.LastMail("ada@example.com"); got.Subject != "instance de" {
		t.Errorf("another workspace's template is taken: %q", got.Subject)
	}
}

func TestTemplateThatFailsGivesWay(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	broken := mail.Source{Subject: "x", HTML: "{{template \"none\"}}", Text: "{{"}
	change(t, h, func(ctx context.Context, tx repos) error {
		return tx.Templates.Set(ctx, mail.Override{Template: mail.Notice, Source: broken, UpdatedAt: h.Clock.Now()})
	})
	queue(t, h, notice(ada))
	if got := h.LastMail("ada@example.com"); got.Subject != "News" {
		t.Errorf("subject %q", got.Subject)
	}
}
