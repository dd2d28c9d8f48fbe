package letters_test

import (
	"strings"
	"testing"

	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
)

// dressed writes a built-in mail in a look.
func dressed(t *testing.T, name mail.Template, look branding.Settings) mail.Source {
	t.Helper()
	values := letters.Sample(name)
	values.Dress(look)
	return render(t, name, values)
}

func TestBranding(t *testing.T) {
	t.Parallel()
	look := branding.Settings{
		Name: "Acme & Sons", LogoURL: "https://cdn.example.com/logo.png", SupportEmail: email.Restore("help@acme.example"),
		Colors: branding.Colors{Primary: "#ffdd00", PrimaryDark: "#101010"},
	}
	for _, name := range mail.Templates() {
		got := dressed(t, name, look)
		for _, want := range []string{
			`<img src="https://cdn.example.com/logo.png" alt=""`, "Acme &amp; Sons", `<a href="mailto:help@acme.example">help@acme.example</a>`,
			"a { color: #000000; }", "a.button { background: #ffdd00; color: #000000; }",
			"a { color: #ffffff !important; }", "a.button { background: #101010 !important; color: #ffffff !important; }",
		} {
			if !strings.Contains(got.HTML, want) {
				t.Errorf("%s lacks %s: %s", name, want, got.HTML)
			}
		}
		if !strings.Contains(got.Text, "by Acme & Sons.") || !strings.Contains(got.Text, "help@acme.example") {
			t.Errorf("%s: the text is %s", name, got.Text)
		}
	}
	if subject := dressed(t, mail.LoginLink, look).Subject; subject != "Sign in to Acme & Sons" {
		t.Errorf("subject %q", subject)
	}
}

func TestWithoutBranding(t *testing.T) {
	t.Parallel()
	got := dressed(t, mail.PasswordReset, branding.Settings{})
	if strings.Contains(got.HTML, "<img") || strings.Contains(got.HTML+got.Text, "Need help") || !strings.Contains(got.Text, "by Gatehouse.") ||
		!strings.Contains(got.HTML, "a.button { background: #3a4fd0; color: #ffffff; }") {
		t.Errorf("the mail is %s", got.HTML)
	}
}

func TestHostileBranding(t *testing.T) {
	t.Parallel()
	got := dressed(t, mail.PasswordReset, branding.Settings{
		Name: `<script>alert(1)</script>`, LogoURL: `javascript:alert(1)`, SupportEmail: email.Restore(`"><script>@example.com`),
		Colors: branding.Colors{Primary: "red;}</style><script>"},
	})
	if strings.Contains(got.HTML, "<script>") || strings.Contains(got.HTML, "javascript:") || strings.Contains(got.HTML, "red;}") || strings.Count(got.HTML, "</style>") != 1 {
		t.Errorf("the mail is %s", got.HTML)
	}
	subject := dressed(t, mail.LoginLink, branding.Settings{Name: "Acme\r\nBcc: everybody@example.com"}).Subject
	if strings.ContainsAny(subject, "\r\n") {
		t.Errorf("subject %q", subject)
	}
}

// What a look lacks is a branch of a template like any other.
func TestCheckTriesEveryBranding(t *testing.T) {
	t.Parallel()
	const anchor = `<a href="{{.link}}">click</a>`
	for html, path := range map[string]string{
		`{{if .logo}}<img src="{{.logo}}">{{end}}` + anchor + `<p style="color: {{.link_color}}">{{.support_email}}</p>`: "",
		`{{if .logo}}` + anchor + `{{end}}`:                                                    "/html",
		`{{if or .logo .support_email .name}}` + anchor + `{{end}}`:                            "/html",
		anchor + `{{if and .logo (not .support_email)}}<a href="https://e.example/{{.link}}">`: "/html",
	} {
		if got := refused(t, mail.PasswordReset, mail.Source{Subject: "x", HTML: html, Text: "{{.link}}"}); got != path {
			t.Errorf("%s: complained about %q, want %q", html, got, path)
		}
	}
}

// The more cases a template tells apart, the shorter it must be.
func TestJudgingIsBounded(t *testing.T) {
	t.Parallel()
	const six = "{{.name}}{{.when}}{{.ip}}{{.device}}{{.headline}}{{.detail}}"
	for use, long := range map[string]int{six: letters.MaxSource, six + "{{.logo}}": letters.MaxSource / 2, six + "{{.logo}}{{.support_email}}": letters.MaxSource / 4} {
		source := mail.Source{Subject: "x", HTML: use + strings.Repeat("x", long-len(use)), Text: strings.Repeat("x", long)}
		if err := letters.Check(mail.Notice, source); err != nil {
			t.Errorf("%s: %v", use, err)
		}
		source.HTML += "x"
		if got := refused(t, mail.Notice, source); got != "/html" {
			t.Errorf("%s and longer: complained about %q", use, got)
		}
	}
}
