package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/cli"
	"gatehouse.internal/adapters/jose"
)

// licenseFile signs claims with a new key, and returns the file and the JWK Set.
func licenseFile(t *testing.T, claims map[string]any) (file, set string) {
	t.Helper()
	private, err := jose.JOSE{}.Generate("EdDSA")
	if err != nil {
		t.Fatal(err)
	}
	key, err := jose.JOSE{}.Load("k1", "EdDSA", private)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := key.Sign("license+jwt", payload)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	file, set = filepath.Join(directory, "a.lic"), filepath.Join(directory, "jwks.json")
	for name, text := range map[string]string{file: string(signed) + "\n", set: `{"keys":[` + string(key.PublicJWK()) + `]}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file, set
}

func TestLicenseVerify(t *testing.T) {
	t.Parallel()
	now := time.Now()
	file, set := licenseFile(t, map[string]any{
		"iss": "https://id.example.com", "aud": "prd_1", "machine": "m", "nbf": now.Add(-time.Hour).Unix(), "exp": now.Add(24 * time.Hour).Unix(),
	})
	_, other := licenseFile(t, nil)
	program := cli.Program{VerifyLicense: func(file string, set []byte) ([]byte, error) { return jose.VerifyFile(file, "license+jwt", set) }}
	for name, c := range map[string]struct {
		args  []string
		later time.Duration
		says  string
		code  int
	}{
		"a file":              {[]string{file, "--jwks", set}, 0, `"aud":"prd_1"`, 0},
		"of all that matches": {[]string{file, "--jwks", set, "--product", "prd_1", "--machine", "m", "--issuer", "https://id.example.com"}, 0, `"machine":"m"`, 0},
		"of another product":  {[]string{file, "--jwks", set, "--product", "prd_2"}, 0, "for product prd_1", 1},
		"of another machine":  {[]string{file, "--jwks", set, "--machine", "n"}, 0, "a different machine", 1},
		"by another service":  {[]string{file, "--jwks", set, "--issuer", "https://evil.example.com"}, 0, "issued by https://id.example.com", 1},
		"by another key":      {[]string{file, "--jwks", other}, 0, "verify the license file", 1},
		"that ended":          {[]string{file, "--jwks", set}, 25 * time.Hour, "expired at", 1},
		"before it began":     {[]string{file, "--jwks", set}, -2 * time.Hour, "not valid yet", 1},
		"that there is not":   {[]string{file + ".none", "--jwks", set}, 0, "no such file", 1},
		"no keys":             {[]string{file}, 0, "--jwks", 2},
	} {
		got := session{program: program, later: c.later}.run(t, append([]string{"license", "verify"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.out+got.err, c.says) {
			t.Errorf("%s: %+v, want %d with %q", name, got, c.code, c.says)
		}
	}
}
