package config_test

import (
	"strings"
	"testing"

	"gatehouse.internal/bootstrap/config"
)

func TestMistakesOfMail(t *testing.T) {
	t.Parallel()
	const server, from = "SMTP_URL=smtp://u:zq5@mx.example.com", "MAIL_FROM=Gatehouse <no-reply@example.com>"
	for _, good := range [][]string{{}, {"SMTP_URL=", "MAIL_FROM="}, {server, from}, {from}, {"SMTP_URL=smtps://mx.example.com", "MAIL_FROM=a@example.com"}} {
		load(t, good...)
	}
	for _, bad := range []struct {
		changes []string
		want    []string
	}{
		{[]string{server}, []string{"MAIL_FROM is missing: "}},
		{[]string{server, "MAIL_FROM=zq5"}, []string{"MAIL_FROM is not a valid sender: "}},
		{[]string{"MAIL_FROM=zq5@example.com, b@example.com"}, []string{"MAIL_FROM is not a valid sender: "}},
		{[]string{"SMTP_URL=mx.zq5.com:25", from}, []string{"SMTP_URL is not a valid mail server URL: "}},
		{[]string{"SMTP_URL=smtp://u:zq5%zz@mx.example.com", from}, []string{"SMTP_URL is not a valid mail server URL: "}},
		{[]string{"SMTP_URL=http://zq5", "MAIL_FROM=zq5"}, []string{"SMTP_URL is not a valid mail server URL: ", "MAIL_FROM is not a valid sender: "}},
	} {
		_, err := config.Load(good(bad.changes...), false)
		if err == nil {
			t.Errorf("%q is taken", bad.changes)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(bad.want) || strings.Contains(err.Error(), "zq5") {
			t.Errorf("%q: %v", bad.changes, err)
			continue
		}
		for i, want := range bad.want {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%q: %q, want %q", bad.changes, lines[i], want)
			}
		}
	}
}
