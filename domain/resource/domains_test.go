package resource_test

import (
	"slices"
	"testing"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/resource"
)

func TestDomains(t *testing.T) {
	t.Parallel()
	for audience, want := range map[string][]email.Domain{
		"https://api.example.com":                  {"api.example.com", "example.com", "com"},
		"HTTPS://API.Example.com.:8443/v1?a=b#c":   {"api.example.com", "example.com", "com"},
		"https://evil.example/x.example.com/":      {"evil.example", "example"},
		"https://evil.example?https://example.com": {"evil.example", "example"},
		"https://example.com@evil.example/":        {"evil.example", "example"},
		"https://example.com%2eevil.example":       nil,
		"http://api.example.com":                   nil,
		"https:api.example.com":                    nil,
		"api.example.com":                          nil,
		"https://[::1]/":                           nil,
		"https://exa_mple.com":                     nil,
		"https://":                                 nil,
	} {
		if got := resource.Domains(audience); !slices.Equal(got, want) {
			t.Errorf("Domains(%q) = %q, want %q", audience, got, want)
		}
	}
}
