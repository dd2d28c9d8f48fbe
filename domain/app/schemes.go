package app

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// schemes are the private-use URI schemes that an app may have in redirect addresses
// (RFC 8252 section 7.1).
type schemes int

const (
	noSchemes schemes = iota
	// domainSchemes are named after a domain, such as com.example.app.
	domainSchemes
	// anySchemes are also plain names, such as cursor. Clients that register themselves
	// have them.
	anySchemes
)

// schemes returns the private-use schemes that the app may have.
func (s Snapshot) schemes() schemes {
	switch {
	case s.Type.Public() && s.Dynamic():
		return anySchemes
	case s.Type == Native:
		return domainSchemes
	}
	return noSchemes
}

// plainScheme is a redirect address with a scheme without a dot, and what follows it.
var plainScheme = regexp.MustCompile(`^[a-z][a-z0-9+-]{2,}://.`)

// fault returns why an address has no scheme of these; "" if it has.
func (a schemes) fault(address string, parsed *url.URL) string {
	named := strings.Contains(parsed.Scheme, ".")
	switch {
	case takenScheme(parsed.Scheme):
		return "must not use the scheme " + parsed.Scheme + ", which is reserved by browsers or operating systems"
	case named && parsed.Opaque == "", a == anySchemes && plainScheme.MatchString(address):
		return ""
	case a == anySchemes && !named:
		return "must use https or a lower-case private-use scheme, such as myapp://callback"
	}
	return "must use https or a private-use scheme based on a domain you own, such as com.example.app:/callback"
}

// takenSchemes run code, open files or other programs, or reach servers.
const takenSchemes = `
	javascript data vbscript file blob about filesystem view-source ws wss ftp http https mailto tel sms intent jar
	search-ms ldap ssh git smb`

// takenScheme reports whether a scheme is not for private use, as a whole or in one of
// its parts (git+ssh).
func takenScheme(scheme string) bool {
	return slices.ContainsFunc(strings.Split(scheme, "+"), func(part string) bool {
		if slices.Contains(strings.Fields(takenSchemes), part) {
			return true
		}
		return slices.ContainsFunc([]string{"chrome", "edge", "moz-", "ms-"}, func(prefix string) bool { return strings.HasPrefix(part, prefix) })
	})
}
