package mail_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/adapters/mail"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url, host       string
		port            int
		implicit, plain bool
		user            string
	}{
		{"smtp://u:p@mx.example.com", "mx.example.com", 587, false, false, "u"},
		{"smtp://u:p@mx.example.com:2525/", "mx.example.com", 2525, false, false, "u"},
		{"smtps://u%40example.com:p%3A@mx.example.com", "mx.example.com", 465, true, false, "u@example.com"},
		{"smtps://127.0.0.1:465", "127.0.0.1", 465, true, false, ""},
		{"smtp://localhost:25", "localhost", 25, false, true, ""},
		{"smtp://[::1]:25", "::1", 25, false, true, ""},
		{"smtp://mx.example.com", "mx.example.com", 587, false, false, ""},
	}
	for _, test := range tests {
		s, err := mail.ParseURL(test.url)
		if err != nil || s.Host != test.host || s.Port != test.port || s.Implicit != test.implicit || s.Plain != test.plain || s.User.Reveal() != test.user {
			t.Errorf("%s: %+v, %v", test.url, s, err)
		}
		if strings.Contains(fmt.Sprintf("%+v", s), "p:") {
			t.Errorf("%s: the password prints", test.url)
		}
	}
	for _, url := range []string{
		"", "mx.example.com", "mx.example.com:25", "http://mx.example.com", "smtp://", "smtp://:25", "smtp://u@mx.example.com",
		"smtp://u:@mx.example.com", "smtp://:p@mx.example.com", "smtp://mx.example.com/path", "smtp://mx.example.com?x=y",
		"smtp://mx.example.com:0", "smtp://mx.example.com:99999", "smtp://mx.example.com:smtp", "smtp://u:p%zz@mx.example.com",
	} {
		if _, err := mail.ParseURL(url); err == nil {
			t.Errorf("%s is taken", url)
		} else if strings.Contains(err.Error(), "p%zz") {
			t.Errorf("%s: the value is told", url)
		}
	}
}

func TestParseFrom(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no-reply@Example.com":              "<no-reply@example.com>",
		"Gatehouse <no-reply@example.com>":  `"Gatehouse" <no-reply@example.com>`,
		`"Gate, House" <a@example.com>`:     `"Gate, House" <a@example.com>`,
		"":                                  "",
		"nobody":                            "",
		"a@example.com, b@example.com":      "",
		"A <a@example.com>\r\nBcc: b@b.com": "",
	} {
		got, err := mail.ParseFrom(text)
		if want == "" != (err != nil) || err == nil && got.String() != want {
			t.Errorf("%q: %s, %v", text, got.String(), err)
		}
	}
}
