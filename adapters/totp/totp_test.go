package totp_test

import (
	"bytes"
	"encoding/base32"
	"image/png"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/adapters/totp"
)

// The test vectors of RFC 6238 appendix B for SHA-1, of which the last six digits
// are the code.
func TestCodesOfTheRFC(t *testing.T) {
	t.Parallel()
	key := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte("12345678901234567890"))
	for seconds, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if got := (totp.TOTP{}).Code(key, seconds/30); got != want {
			t.Errorf("the code at %d = %q, want %q", seconds, got, want)
		}
	}
	for _, malformed := range []string{"not base 32!", "0189"} {
		if got := (totp.TOTP{}).Code(malformed, 1); got != "" {
			t.Errorf("the code of a malformed secret = %q", got)
		}
	}
	if got := (totp.TOTP{}).Code(key, -1); got != "" {
		t.Errorf("the code before all time = %q", got)
	}
}

// Whatever a service is called, the QR code holds it.
func TestLongIssuers(t *testing.T) {
	t.Parallel()
	maker := totp.TOTP{Random: system.Random{}}
	for name, want := range map[string]string{
		strings.Repeat("😀", 80): strings.Repeat("😀", 39) + "…", strings.Repeat("x", 40): strings.Repeat("x", 40), "a&b=c+d #e%": "a&b=c+d #e%",
	} {
		made, err := maker.Invite(name, strings.Repeat("ä", 120)+"@example.com")
		if err != nil {
			t.Fatal(err)
		}
		address, err := url.Parse(string(made.URL))
		if err != nil || address.Query().Get("issuer") != want || !strings.HasPrefix(address.Path, "/"+want+":") {
			t.Errorf("the address is %q, %v", string(made.URL), err)
		}
		if _, err := png.Decode(bytes.NewReader(made.PNG)); err != nil {
			t.Error(err)
		}
	}
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	maker := totp.TOTP{Random: system.Random{}}
	one, err := maker.Invite("auth.example.com:8400", "ada+x@example.com")
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(string(one.URL))
	if err != nil || address.Scheme != "otpauth" || address.Host != "totp" || address.Path != "/auth.example.com.8400:ada+x@example.com" {
		t.Errorf("the address is %q, %v", string(one.URL), err)
	}
	query := address.Query()
	for name, want := range map[string]string{
		"secret": string(one.Secret), "issuer": "auth.example.com.8400", "digits": "6", "period": "30", "algorithm": "SHA1",
	} {
		if got := query.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(string(one.Secret))
	if err != nil || len(raw) != 20 {
		t.Errorf("the secret has %d bytes, %v", len(raw), err)
	}
	picture, err := png.Decode(bytes.NewReader(one.PNG))
	if err != nil || picture.Bounds().Dx() != 256 {
		t.Errorf("the QR code: %v", err)
	}
	other, err := maker.Invite("auth.example.com", "ada@example.com")
	if err != nil || other.Secret == one.Secret {
		t.Errorf("two secrets are alike, or %v", err)
	}
}
