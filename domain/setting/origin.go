package setting

import (
	"net/url"
	"strings"
)

// AnyOrigin stands for every origin.
const AnyOrigin = "*"

// ValidOrigin tells whether a text is an origin as browsers send it (RFC 6454
// section 6.2): scheme, host and port, nothing more; or the sign for any.
func ValidOrigin(text string) bool {
	if text == AnyOrigin {
		return true
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return false
	}
	return text == parsed.Scheme+"://"+strings.ToLower(parsed.Host)
}
