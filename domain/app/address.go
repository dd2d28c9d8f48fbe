package app

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"gatehouse.internal/domain/fault"
)

// Bounds of addresses.
const (
	maxAddresses     = 50
	maxAddressLength = 2048
)

// Addresses are the addresses of an app.
type Addresses struct {
	// RedirectURLs are where answers may be sent, LogoutURLs where people may be
	// sent after a logout. They match exactly, character by character.
	RedirectURLs []string `audit:"redirect_urls"`
	LogoutURLs   []string `audit:"logout_urls"`
	// LogoURL, PolicyURL and TermsURL are https addresses, or empty.
	LogoURL   string `audit:"logo_url"`
	PolicyURL string `audit:"policy_url"`
	TermsURL  string `audit:"terms_url"`
}

func (a Addresses) check(allowed schemes) []fault.Field {
	return append(
		checkRedirects("/redirect_urls", a.RedirectURLs, allowed),
		checkRedirects("/logout_urls", a.LogoutURLs, allowed)...,
	)
}

func checkRedirects(place string, addresses []string, allowed schemes) []fault.Field {
	if len(addresses) > maxAddresses {
		return []fault.Field{{Path: place, Message: "must have at most 50 items"}}
	}
	var complaints []fault.Field
	for i, address := range addresses {
		if wrong := redirectFault(address, allowed); wrong != "" {
			complaints = append(complaints, fault.Field{Path: place + "/" + strconv.Itoa(i), Message: wrong})
		}
	}
	return complaints
}

// RedirectFault returns why an address is not allowed as a redirect address of apps
// that a workspace registers; "" if it is.
func RedirectFault(address string) string { return redirectFault(address, domainSchemes) }

// redirectFault returns why an address is not allowed as a redirect address; "" if it
// is (RFC 6749 section 3.1.2, RFC 9700 section 2.1, RFC 8252 section 7).
func redirectFault(address string, allowed schemes) string {
	if len(address) > maxAddressLength {
		return "must have at most 2,048 characters"
	}
	for _, r := range address {
		if r <= ' ' || r > '~' || strings.ContainsRune(`\"<>^{|}`+"`", r) {
			return "must be a valid URL: percent-encode spaces, non-ASCII and other special characters"
		}
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Scheme == "":
		return "must be an absolute URL"
	case strings.Contains(address, "#"):
		return "must not contain a fragment"
	case strings.Contains(address, "*"):
		return "must not contain a wildcard: register each URL exactly"
	case parsed.User != nil:
		return "must not contain a user name or password"
	case !validPort(parsed):
		return "must have a port from 1 to 65535, or none"
	}
	return schemeFault(address, parsed, allowed)
}

// validPort reports whether an address has a port that can be connected to, or none.
func validPort(address *url.URL) bool {
	if !strings.HasSuffix(address.Host, ":") && address.Port() == "" {
		return true
	}
	port, err := strconv.ParseUint(address.Port(), 10, 16)
	return err == nil && port > 0
}

func schemeFault(address string, parsed *url.URL, allowed schemes) string {
	switch {
	case parsed.Scheme == "https" && parsed.Hostname() != "":
		return ""
	case parsed.Scheme == "http" && Loopback(parsed.Hostname()):
		return ""
	case parsed.Scheme == "https":
		return "must include a host"
	case parsed.Scheme == "http":
		return "must use https, except for localhost, 127.0.0.1 and [::1]"
	case allowed == noSchemes:
		return "must use https"
	}
	return allowed.fault(address, parsed)
}

// Loopback reports whether a host is the machine that looks it up.
func Loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && address.IsLoopback())
}
