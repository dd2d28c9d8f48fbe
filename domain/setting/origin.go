package setting

import (
	"net/netip"
	"regexp"
	"strconv"
)

// AnyOrigin matches every origin.
const AnyOrigin = "*"

var originForm = regexp.MustCompile(
	`^(https?)://(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)|\[([0-9a-f:]+)\])(?::([1-9][0-9]{0,4}))?$`)

// ValidOrigin reports whether a text is an origin as browsers send it (RFC 6454
// section 6.2): scheme, host and port, nothing more; or the sign for any.
// Origins are compared as bytes, so one in any other form (a wildcard within the
// host, letters beyond ASCII, the port that the scheme implies) would never match.
func ValidOrigin(text string) bool {
	if text == AnyOrigin {
		return true
	}
	parts := originForm.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	return (parts[3] == "" || shortest(parts[3])) && (parts[4] == "" || needed(parts[1], parts[4]))
}

// Origin returns the serialization of an origin, without a default port (RFC 6454
// section 6.1).
func Origin(scheme, host, port string) string {
	if port == "" || port == implied(scheme) {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// shortest reports whether an IPv6 address is written as browsers do.
func shortest(address string) bool {
	parsed, err := netip.ParseAddr(address)
	return err == nil && parsed.String() == address
}

// needed reports whether a port exists and is not the one that the scheme implies.
func needed(scheme, port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil && port != implied(scheme)
}

// implied returns the port of a scheme where none is named.
func implied(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
