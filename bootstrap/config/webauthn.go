package config

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	passkeyadapter "gatehouse.internal/adapters/passkey"
	"gatehouse.internal/application/family/system"
	"gatehouse.internal/application/signin/passkey"
	"gatehouse.internal/domain/setting"
)

// PasskeyConfig configures the relying party of passkeys (Web Authentication section
// 4).
type PasskeyConfig struct {
	// WebAuthnRPID is the domain that passkeys are bound to; empty for that of
	// SERVICE_HOST.
	WebAuthnRPID string `env:"WEBAUTHN_RP_ID"`
	// WebAuthnOrigins are the origins of pages and Android apps that use passkeys; empty for
	// that of SERVICE_HOST.
	WebAuthnOrigins []string `env:"WEBAUTHN_ORIGINS"`

	// RelyingParty is derived from them.
	RelyingParty passkeyadapter.RelyingParty
}

var (
	errRPID = errors.New("WEBAUTHN_RP_ID is not a domain: set it to the host of your pages or a parent domain, such as example.com")
	errHost = errors.New("WEBAUTHN_ORIGINS is missing: set it to the origins of your pages, because SERVICE_HOST is outside WEBAUTHN_RP_ID")
)

// checkPasskeys determines the relying party. A value derived from SERVICE_HOST alone
// is not validated: an instance on which passkeys cannot be used must start all the
// same. Values that depend on an invalid variable are not validated either.
func (c *Config) checkPasskeys() error {
	var mistakes []error
	var name, origin string
	if host, err := url.Parse(c.ServiceHost); err == nil && c.normalizeHost() == nil {
		name, origin = passkeyHost(host)
	}
	party := passkeyadapter.RelyingParty{ID: name, Origins: []string{origin}, Life: passkey.Life}
	switch {
	case c.WebAuthnRPID == "":
	case passkeyadapter.ValidID(c.WebAuthnRPID):
		party.ID = c.WebAuthnRPID
	default:
		party.ID = ""
		mistakes = append(mistakes, errRPID)
	}
	switch {
	case len(c.WebAuthnOrigins) > 0:
		party.Origins = c.WebAuthnOrigins
	case name != "" && party.ID != "" && !within(name, party.ID):
		mistakes = append(mistakes, errHost)
	}
	c.RelyingParty = party
	return errors.Join(append(mistakes, checkPasskeyOrigins(c.WebAuthnOrigins, party.ID))...)
}

// passkeyHost returns the domain and the origin of an address. Passkeys are bound to
// domains only: for an IP address or a bare name it returns localhost, which works on
// this machine.
func passkeyHost(host *url.URL) (name, origin string) {
	name = strings.ToLower(host.Hostname())
	if passkeyadapter.ValidID(name) {
		return name, setting.Origin(host.Scheme, name, host.Port())
	}
	return "localhost", setting.Origin("http", "localhost", host.Port())
}

// androidApp is the origin of an Android app: the SHA-256 of the certificate that it is
// signed by, in base64url.
var androidApp = regexp.MustCompile(`^android:apk-key-hash:[A-Za-z0-9_-]{43}$`)

// checkPasskeyOrigins validates origins. Those outside of the relying party's domain are
// related ones, which browsers look up there (Web Authentication section 5.11).
func checkPasskeyOrigins(origins []string, party string) error {
	var mistakes []error
	for _, text := range origins {
		if androidApp.MatchString(text) {
			continue
		}
		origin, err := url.Parse(text)
		switch {
		case err != nil || text == setting.AnyOrigin || !setting.ValidOrigin(text):
			mistakes = append(mistakes, errors.New("WEBAUTHN_ORIGINS contains an invalid origin: set it to origins such as https://app.example.com or android:apk-key-hash:<43 characters>, separated by commas"))
		case origin.Scheme != "https" && !within(origin.Hostname(), "localhost"):
			mistakes = append(mistakes, errors.New("WEBAUTHN_ORIGINS contains an origin without https: browsers only support passkeys on https and on http://localhost"))
		case party == "localhost" && !within(origin.Hostname(), party):
			mistakes = append(mistakes, errors.New("WEBAUTHN_ORIGINS contains an origin other than localhost, but passkeys are bound to localhost: set WEBAUTHN_RP_ID to a domain"))
		}
	}
	return errors.Join(mistakes...)
}

// within reports whether a host is a domain or a subdomain of it.
func within(host, domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }

// relatedOrigins reports whether pages of other domains may use passkeys.
func (c *Config) relatedOrigins() bool {
	return slices.ContainsFunc(c.RelyingParty.PageOrigins(), func(text string) bool {
		origin, err := url.Parse(text)
		return err == nil && !within(origin.Hostname(), c.RelyingParty.ID)
	})
}

func (c *Config) passkeyFindings(add func(when bool, f system.Finding)) {
	host, err := url.Parse(c.ServiceHost)
	if err != nil {
		return
	}
	name := host.Hostname()
	add(name != c.RelyingParty.ID && c.relatedOrigins(), system.Finding{
		Variable: "WEBAUTHN_ORIGINS", Severity: system.Warning,
		Message: "browsers look up origins outside WEBAUTHN_RP_ID at https://" + c.RelyingParty.ID + "/.well-known/webauthn, which this instance does not serve",
		Mend:    "serve the same document there that this instance serves at /.well-known/webauthn",
	})
	if c.WebAuthnRPID != "" {
		return
	}
	address := net.ParseIP(name)
	add(!passkeyadapter.ValidID(name) && (address == nil || !address.IsLoopback()), system.Finding{
		Variable: "WEBAUTHN_RP_ID", Severity: system.Warning,
		Message: "passkeys are bound to localhost, because SERVICE_HOST has no domain name", Mend: "serve the instance under a domain name",
	})
}
