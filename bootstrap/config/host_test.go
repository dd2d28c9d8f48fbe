package config_test

import (
	"strings"
	"testing"

	"gatehouse.internal/bootstrap/config"
)

// SERVICE_HOST is put into the form that browsers and clients compare with.
func TestServiceHostIsNormalized(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://Auth.Example.COM":            "https://auth.example.com",
		"HTTPS://auth.example.com:443/":       "https://auth.example.com",
		"http://auth.example.com:80":          "http://auth.example.com",
		"http://auth.example.com:443":         "http://auth.example.com:443",
		"https://auth.example.com:8443/":      "https://auth.example.com:8443",
		"https://Bücher.Example":              "https://xn--bcher-kva.example",
		"https://xn--bcher-kva.example/Auth/": "https://xn--bcher-kva.example/Auth",
		"https://example.com/auth":            "https://example.com/auth",
		"https://example.com/a/b.c_d-e//":     "https://example.com/a/b.c_d-e",
		"https://example.com/apis":            "https://example.com/apis",
		"http://auth_service:8400":            "http://auth_service:8400",
		"http://[::1]:8400":                   "http://[::1]:8400",
		"http://192.0.2.7":                    "http://192.0.2.7",
	} {
		c, err := config.Load(good("SERVICE_HOST="+given), false)
		if err != nil || c.ServiceHost != want {
			t.Errorf("%s = %q, %v, want %s", given, c.ServiceHost, err, want)
		}
	}
}

func TestServiceHostRefuses(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://a..example.com": "an invalid host or port", "https://example.com:0": "an invalid host or port",
		"https://example.com:99999": "an invalid host or port", "https://example.com:": "an invalid host or port", "https://*.example.com": "an invalid host or port",
		"https://bücher..example": "an invalid host or port", "https://[::0:1]": "an invalid host or port",
		"https://example.com/a b": "an unsupported path", "https://example.com/../auth": "an unsupported path",
		"https://example.com/a//b": "an unsupported path", "https://example.com/%61uth": "an unsupported path",
		"https://example.com/.well-known": "an unsupported path", "https://example.com/a;b": "an unsupported path",
		"https://example.com/auth?": "not a valid URL", "https://example.com/api": "conflicts with a path of the service", "https://example.com/oauth/x": "conflicts with a path of the service",
	} {
		_, err := config.Load(good("SERVICE_HOST="+given), false)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "SERVICE_HOST ") {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
}
