package dpop_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/domain/dpop"
)

func TestNormalizeURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://a.example":                        "https://a.example/",
		"https://a.example/":                       "https://a.example/",
		"HTTPS://A.Example:443/X":                  "https://a.example/X",
		"http://a.example:80":                      "http://a.example/",
		"http://a.example:443/":                    "http://a.example:443/",
		"https://a.example:80/":                    "https://a.example:80/",
		"https://a.example:/":                      "https://a.example/",
		"https://a.example:8443/x?y#z":             "https://a.example:8443/x",
		"https://a.example?y":                      "https://a.example/",
		"https://[2001:DB8::1]:443/":               "https://[2001:db8::1]/",
		"https://[2001:db8::443]/":                 "https://[2001:db8::443]/",
		"https://a.example/b/./c/../d":             "https://a.example/b/d",
		"https://a.example/b/..":                   "https://a.example/",
		"https://a.example/b/c/.":                  "https://a.example/b/c/",
		"https://a.example/b/c/..":                 "https://a.example/b/",
		"https://a.example/../../b":                "https://a.example/b",
		"https://a.example/..":                     "https://a.example/",
		"https://a.example//b//":                   "https://a.example//b//",
		"https://a.example/b//../c":                "https://a.example/b/c",
		"https://a.example/.b/..c/...":             "https://a.example/.b/..c/...",
		"https://a.example/%7eb%2Dc/%2e%2E/d":      "https://a.example/d",
		"https://a.example/%2f%3a":                 "https://a.example/%2F%3A",
		"https://a.example/%252e":                  "https://a.example/%252e",
		"https://a.example/ü":                      "https://a.example/%C3%BC",
		"https://a.example/%c3%bc":                 "https://a.example/%C3%BC",
		"https://a.example/a;b=c,d":                "https://a.example/a;b=c,d",
		"https://a.example./":                      "https://a.example./",
		"https://gatehouse.example/api/v1/execute": "https://gatehouse.example/api/v1/execute",
	} {
		if got, err := dpop.NormalizeURL(given); err != nil || got != want {
			t.Errorf("NormalizeURL(%q) = %q, %v, want %q", given, got, err, want)
		}
	}
}

func TestNormalizeURLRefuses(t *testing.T) {
	t.Parallel()
	for _, given := range []string{
		"", "/", "//a.example/", "a.example", "https:", "https:/x", "https://", "https:///x", "https:a.example", "https://:443/",
		"ftp://a.example/", "javascript:alert(1)", "https://u@a.example/", "https://u:p@a.example/", "https://@a.example/",
		"https://a.example/%", "https://a.example/%zz", "https://a b/", "https://a.example:x/", "https://a.example\\b/",
		"https://a.example/\x00", " https://a.example/", "https://a.example/\n", "https://[::1/", "https://%/", "https://%25/", "https://ü.example/", "https://[fe80::1%25eth0]/",
	} {
		if got, err := dpop.NormalizeURL(given); !errors.Is(err, dpop.ErrNoURL) {
			t.Errorf("NormalizeURL(%q) = %q, %v, want ErrNoURL", given, got, err)
		}
	}
}

// FuzzNormalizeURL holds that what was normalized stays as it is.
func FuzzNormalizeURL(f *testing.F) {
	for _, seed := range []string{
		"https://a.example/b/../c?d#e", "HTTP://A:80/%7e%2e%2F", "https://[::1]:443//x//..", "https://a.example/%25%32%45/%2e", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		once, err := dpop.NormalizeURL(given)
		if err != nil {
			return
		}
		twice, err := dpop.NormalizeURL(once)
		if err != nil || twice != once {
			t.Fatalf("%q became %q, then %q (%v)", given, once, twice, err)
		}
		scheme, rest, _ := strings.Cut(once, "://")
		_, path, _ := strings.Cut(rest, "/")
		if scheme != "http" && scheme != "https" || strings.ContainsAny(once, "?# ") || strings.Contains("/"+path+"/", "/../") {
			t.Fatalf("%q became %q", given, once)
		}
	})
}
