package letters_test

import (
	"strings"
	"testing"

	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
)

func TestBuiltinTemplatesPassTheirOwnCheck(t *testing.T) {
	t.Parallel()
	for _, name := range mail.Templates() {
		source := letters.Builtin(name)
		if err := letters.Check(name, source); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		written, err := letters.Render(name, source, letters.Sample(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for part, text := range map[string]string{"subject": written.Subject, "html": written.HTML, "text": written.Text} {
			if text == "" || strings.Contains(text, "{{") || strings.Contains(text, "content -->") || strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "missing") {
				t.Errorf("%s: %s is %q", name, part, text)
			}
		}
		if !strings.Contains(written.HTML, "prefers-color-scheme: dark") || !strings.Contains(written.HTML, "Hello Ada Lovelace") {
			t.Errorf("%s: no layout in %s", name, written.HTML)
		}
	}
}

func render(t *testing.T, name mail.Template, values letters.Values) mail.Source {
	t.Helper()
	written, err := letters.Render(name, letters.Builtin(name), values)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func TestNamesAreTextNeverMarkup(t *testing.T) {
	t.Parallel()
	values := letters.Sample(mail.PasswordReset)
	values["name"] = `<b onclick="x()">Ada</b>`
	values["device"] = `</td><script>alert(1)</script>`
	html := render(t, mail.PasswordReset, values).HTML
	for _, markup := range []string{"<b onclick", "<script>"} {
		if strings.Contains(html, markup) {
			t.Errorf("%s stands in the mail", markup)
		}
	}
	if !strings.Contains(html, "&lt;script&gt;") {
		t.Error("the device is not shown as a text")
	}
}

func TestSubjectIsOneLine(t *testing.T) {
	t.Parallel()
	values := letters.Sample(mail.Notice)
	values["headline"] = "New\r\nBcc: everybody@example.com\u2028\tlogin " + strings.Repeat("x", 400)
	subject := render(t, mail.Notice, values).Subject
	if strings.ContainsAny(subject, "\r\n\t\u2028") || len([]rune(subject)) != 200 || !strings.HasPrefix(subject, "New Bcc: everybody@example.com login x") {
		t.Errorf("subject = %q", subject)
	}
}

func TestGreetingLeavesOutWhatBecomesALink(t *testing.T) {
	t.Parallel()
	names := map[string]string{
		"Ada Lovelace": "Ada Lovelace", "J. R. R. Tolkien": "J. R. R. Tolkien", "  Ada \n ": "Ada", "O'Neil, Jr.": "O'Neil, Jr.",
		"": "", "Win now https://evil.example": "", "evil.example": "", "call me@example.com": "", "<b>": "",
		strings.Repeat("x", 81): "", "a/b": "", "tel:123": "",
	}
	for name, want := range names {
		values := letters.Values{}
		letters.CommonValues{Host: "https://auth.example.com", Name: name, Email: email.Restore("a@example.com"), Proved: true}.Fill(values)
		if values["name"] != want {
			t.Errorf("%q is greeted as %q, want %q", name, values["name"], want)
		}
		if values["service"] != "Gatehouse" {
			t.Errorf("service = %q", values["service"])
		}
	}
}

func TestFactsNeverStandForLinksOrCodes(t *testing.T) {
	t.Parallel()
	values := letters.Values{"link": "https://evil.example", "code": "1", "valid_for": "ever", "host": "https://evil.example", "name": "Eve", "email": "e@e.e"}
	letters.CommonValues{Host: "https://auth.example.com", Name: "Ada", Email: email.Restore("a@example.com"), Proved: true}.Fill(values)
	if values["link"] != "" || values["code"] != "" || values["valid_for"] != "" || values["host"] != "https://auth.example.com" || values["name"] != "Ada" {
		t.Errorf("values = %v", values)
	}
}

func TestNoTemplateGreetsAnEmptyName(t *testing.T) {
	t.Parallel()
	for _, name := range mail.Templates() {
		values := letters.Sample(name)
		delete(values, "name")
		written := render(t, name, values)
		if !strings.HasPrefix(written.Text, "Hello,\n") || strings.Contains(written.HTML, "Hello ,") {
			t.Errorf("%s begins %.40q", name, written.Text)
		}
	}
}

// What to do stands apart from what happened, whether or not it is known from where.
func TestNoticeIsReadInParagraphs(t *testing.T) {
	t.Parallel()
	values := letters.Sample(mail.Notice)
	for _, absent := range []string{"", "ip", "device", "when"} {
		delete(values, absent)
		text := render(t, mail.Notice, values).Text
		if !strings.Contains(text, "\n\nIf this was you") || strings.Contains(text, "\n\n\n") {
			t.Errorf("without %s: %s", absent, text)
		}
	}
}
