package mail_test

import (
	"testing"

	"gatehouse.internal/domain/mail"
)

func TestLinkAddress(t *testing.T) {
	t.Parallel()
	for want, link := range map[string]mail.Link{
		"https://auth.example.com/recover?token=a%2Bb":     {Page: "/recover"},
		"https://app.example.com/cb?token=a%2Bb":           {Page: "/login", RedirectURI: "https://app.example.com/cb"},
		"https://app.example.com/cb?from=mail&token=a%2Bb": {Page: "/login", RedirectURI: "https://app.example.com/cb?token=x&from=mail"},
		"https://auth.example.com/login?token=a%2Bb":       {Page: "/login", RedirectURI: "https://%zz"},
		"com.example.app:/cb?token=a%2Bb":                  {RedirectURI: "com.example.app:/cb"},
	} {
		if got := link.Address("https://auth.example.com", "a+b"); got != want {
			t.Errorf("Address() = %s, want %s", got, want)
		}
	}
}
