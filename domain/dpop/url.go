package dpop

import (
	"net/url"
	"strings"

	"gatehouse.internal/domain/fault"
)

// ErrNoURL is returned for a text that is not the URL of a request.
var ErrNoURL = fault.New(fault.Validation, "must be an absolute http or https URL without credentials")

// NormalizeURL returns the normal form of a request URL, for comparison: scheme and
// host in lower case, no default port, a path without dot segments and with minimal
// percent-encoding (RFC 3986 sections 6.2.2 and 6.2.3), and neither query nor fragment
// (RFC 9449 section 4.3). It fails with ErrNoURL.
func NormalizeURL(text string) (string, error) {
	parsed, err := url.Parse(text)
	if err != nil {
		return "", ErrNoURL
	}
	scheme, host := parsed.Scheme, strings.ToLower(parsed.Host)
	defaultPort, known := map[string]string{"http": ":80", "https": ":443"}[scheme]
	if !known || parsed.Hostname() == "" || parsed.User != nil || strings.ContainsFunc(host, strange) {
		return "", ErrNoURL
	}
	host = strings.TrimSuffix(strings.TrimSuffix(host, defaultPort), ":")
	return scheme + "://" + host + withoutDots(unreserved(parsed.EscapedPath())), nil
}

// strange reports whether a character is invalid in the host of a request:
// international names must be in Punycode (RFC 3492).
func strange(r rune) bool {
	return r != '[' && r != ']' && r != ':' && (r >= 0x80 || r == '~' || !isUnreserved(byte(r)))
}

// unreserved decodes the characters that need no percent-encoding and writes the
// rest of it in upper case. The path is one that the parser took: every % has its
// two digits.
func unreserved(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var written strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			written.WriteByte(path[i])
			continue
		}
		code := path[i : i+3]
		i += 2
		plain, err := url.PathUnescape(code)
		if err == nil && isUnreserved(plain[0]) {
			written.WriteString(plain)
			continue
		}
		written.WriteString(strings.ToUpper(code))
	}
	return written.String()
}

// isUnreserved reports whether a character is unreserved (RFC 3986 section 2.3).
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// withoutDots resolves the segments . and .. of an absolute path (RFC 3986 section
// 5.2.4). It keeps empty segments, which path.Clean would not.
func withoutDots(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	kept := make([]string, 0, len(segments))
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".", "..":
			if segment == ".." && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}
