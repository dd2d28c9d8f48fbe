package email_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/domain/email"
)

func TestParseDomain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]email.Domain{
		"example.com": "example.com", " Example.COM ": "example.com", "Bücher.example": "xn--bcher-kva.example",
		"xn--bcher-kva.example": "xn--bcher-kva.example", "ｅxample.com": "example.com",
	} {
		got, err := email.ParseDomain(text)
		if err != nil || got != want {
			t.Errorf("ParseDomain(%q) = %s, %v, want %s", text, got, err, want)
		}
		address, err := email.Parse("ada@" + strings.TrimSpace(text))
		if err != nil || address.Domain() != want {
			t.Errorf("the domain of ada@%s = %s, %v, want %s", text, address.Domain(), err, want)
		}
	}
	for _, text := range []string{"", " ", "localhost", "@example.com", "ada@example.com", "*.example.com", ".example.com", "example.com.", "exa mple.com", "a,b.com", "example..com"} {
		var d email.Domain
		if err := d.UnmarshalText([]byte(text)); !errors.Is(err, email.ErrDomain) || d != "" {
			t.Errorf("UnmarshalText(%q) = %q, %v", text, d, err)
		}
	}
	if got := (email.Address{}).Domain(); got != "" {
		t.Errorf("the domain of no address = %q", got)
	}
}
