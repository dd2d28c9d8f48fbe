package config

import (
	"slices"
	"strings"
	"testing"
)

// passkeyConfig loads a configuration with relying party variables.
func passkeyConfig(variables ...string) (Config, error) {
	all := map[string]string{
		"DATABASE_URL": "sqlite:///tmp/x.db", "JWT_SECRET": "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U", "SERVICE_HOST": "https://auth.example.com",
	}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		all[name] = value
	}
	return Load(all, true)
}

func TestRelyingParty(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variables []string
		id        string
		origins   []string
		finding   bool
	}{
		"the public URL":         {nil, "auth.example.com", []string{"https://auth.example.com"}, false},
		"with a port and a path": {[]string{"SERVICE_HOST=https://Auth.Example.com:8443/x"}, "auth.example.com", []string{"https://auth.example.com:8443"}, false},
		"the default port":       {[]string{"SERVICE_HOST=https://auth.example.com:443"}, "auth.example.com", []string{"https://auth.example.com"}, false},
		"without TLS":            {[]string{"SERVICE_HOST=http://10.0.0.7:80"}, "localhost", []string{"http://localhost"}, true},
		"another's port":         {[]string{"SERVICE_HOST=http://auth.example.com:443"}, "auth.example.com", []string{"http://auth.example.com:443"}, false},
		"no public URL":          {[]string{"SERVICE_HOST=", "PORT=9000"}, "localhost", []string{"http://localhost:9000"}, false},
		"this machine":           {[]string{"SERVICE_HOST=http://127.0.0.1:8400"}, "localhost", []string{"http://localhost:8400"}, false},
		"an address":             {[]string{"SERVICE_HOST=http://10.0.0.7"}, "localhost", []string{"http://localhost"}, true},
		"a bare name":            {[]string{"SERVICE_HOST=http://gatehouse:8400"}, "localhost", []string{"http://localhost:8400"}, true},
		"no https":               {[]string{"SERVICE_HOST=http://auth.example.com"}, "auth.example.com", []string{"http://auth.example.com"}, false},
		"a domain above":         {[]string{"WEBAUTHN_RP_ID=example.com"}, "example.com", []string{"https://auth.example.com"}, false},
		"other pages": {
			[]string{"WEBAUTHN_RP_ID=example.com", "WEBAUTHN_ORIGINS=https://app.example.com,https://example.com:8443"},
			"example.com",
			[]string{"https://app.example.com", "https://example.com:8443"},
			false,
		},
		"other pages alone": {[]string{"WEBAUTHN_ORIGINS=https://auth.example.com,https://a.auth.example.com"}, "auth.example.com", []string{"https://auth.example.com", "https://a.auth.example.com"}, false},
		"another domain": {
			[]string{"WEBAUTHN_RP_ID=example.org", "WEBAUTHN_ORIGINS=https://example.org"}, "example.org", []string{"https://example.org"}, false,
		},
		"an app": {
			[]string{"WEBAUTHN_ORIGINS=https://auth.example.com,android:apk-key-hash:Xg1TChGFwLRePIQvqYGwEcYwQn0bS7Q2VX0fYwwXcFg"},
			"auth.example.com",
			[]string{"https://auth.example.com", "android:apk-key-hash:Xg1TChGFwLRePIQvqYGwEcYwQn0bS7Q2VX0fYwwXcFg"},
			false,
		},
		"related pages": {
			[]string{"WEBAUTHN_ORIGINS=https://auth.example.com,https://example.org"}, "auth.example.com", []string{"https://auth.example.com", "https://example.org"}, false,
		},
		"related pages of a domain above": {
			[]string{"WEBAUTHN_RP_ID=example.com", "WEBAUTHN_ORIGINS=https://auth.example.com,https://example.org"}, "example.com", []string{"https://auth.example.com", "https://example.org"}, true,
		},
		"development": {[]string{"WEBAUTHN_RP_ID=localhost", "WEBAUTHN_ORIGINS=http://localhost:3000,http://app.localhost:3000"}, "localhost", []string{"http://localhost:3000", "http://app.localhost:3000"}, false},
	} {
		config, err := passkeyConfig(c.variables...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := config.RelyingParty; got.ID != c.id || !slices.Equal(got.Origins, c.origins) {
			t.Errorf("%s: %+v, want %s at %v", name, got, c.id, c.origins)
		}
		found := false
		for _, f := range config.Findings() {
			found = found || strings.HasPrefix(f.Variable, "WEBAUTHN_")
		}
		if found != c.finding {
			t.Errorf("%s: found %v, want %v", name, found, c.finding)
		}
	}
}

// An error names the variable and a remedy, and never the value.
func TestRelyingPartyMistakes(t *testing.T) {
	t.Parallel()
	for variables, names := range map[string]string{
		"WEBAUTHN_RP_ID=https://zq5.example.com":                            "WEBAUTHN_RP_ID",
		"WEBAUTHN_RP_ID=zq5":                                                "WEBAUTHN_RP_ID",
		"WEBAUTHN_RP_ID=10.0.0.7":                                           "WEBAUTHN_RP_ID",
		"WEBAUTHN_RP_ID=zq5.example.com:8400":                               "WEBAUTHN_RP_ID",
		"WEBAUTHN_RP_ID=zq5.org":                                            "WEBAUTHN_ORIGINS is missing",
		"WEBAUTHN_RP_ID=xample.com":                                         "WEBAUTHN_ORIGINS is missing",
		"WEBAUTHN_RP_ID=zq5.auth.example.com":                               "WEBAUTHN_ORIGINS is missing",
		"WEBAUTHN_ORIGINS=http://zq5.auth.example.com":                      "without https",
		"WEBAUTHN_ORIGINS=http://localhost.zq5.com":                         "without https",
		"WEBAUTHN_ORIGINS=android:apk-key-hash:zq5":                         "an invalid origin",
		"WEBAUTHN_ORIGINS=android:apk-key-hash-sha256:zq5":                  "an invalid origin",
		"WEBAUTHN_ORIGINS=*":                                                "an invalid origin",
		"WEBAUTHN_ORIGINS=zq5.auth.example.com":                             "an invalid origin",
		"WEBAUTHN_ORIGINS=https://zq5.auth.example.com/":                    "an invalid origin",
		"WEBAUTHN_ORIGINS=https://zq5.auth.example.com/login":               "an invalid origin",
		"WEBAUTHN_ORIGINS=https://user@auth.example.com":                    "an invalid origin",
		"WEBAUTHN_ORIGINS=https://auth.example.com,":                        "an invalid origin",
		"WEBAUTHN_RP_ID=localhost WEBAUTHN_ORIGINS=https://zq5.example.com": "other than localhost",
	} {
		_, err := passkeyConfig(strings.Fields(variables)...)
		if err == nil || !strings.Contains(err.Error(), names) || strings.Contains(err.Error(), "zq5") {
			t.Errorf("%s: %v, want it to say %q", variables, err, names)
		}
	}
}

// A value that depends on an invalid variable is not reported, an independent one is.
func TestRelyingPartyBesideMistakes(t *testing.T) {
	t.Parallel()
	for variables, names := range map[string][]string{
		"SERVICE_HOST=ftp://example.com WEBAUTHN_RP_ID=example.org":                      {"SERVICE_HOST is"},
		"SERVICE_HOST=x WEBAUTHN_ORIGINS=https://example.org":                            {"SERVICE_HOST is"},
		"SERVICE_HOST=x WEBAUTHN_ORIGINS=http://example.org":                             {"SERVICE_HOST is", "without https"},
		"SERVICE_HOST=x WEBAUTHN_RP_ID=example.com WEBAUTHN_ORIGINS=https://example.org": {"SERVICE_HOST is"},
		"WEBAUTHN_RP_ID=x": {"WEBAUTHN_RP_ID is"},
		"WEBAUTHN_RP_ID=x WEBAUTHN_ORIGINS=https://example.org":                             {"WEBAUTHN_RP_ID is"},
		"WEBAUTHN_RP_ID=x WEBAUTHN_ORIGINS=https://auth.example.com,http://example.org,bad": {"WEBAUTHN_RP_ID is", "without https", "an invalid origin"},
	} {
		_, err := passkeyConfig(strings.Fields(variables)...)
		if err == nil {
			t.Errorf("%s is taken", variables)
			continue
		}
		said := strings.Split(err.Error(), "\n")
		if !slices.EqualFunc(said, names, strings.Contains) {
			t.Errorf("%s: %q, want %q", variables, said, names)
		}
	}
}
