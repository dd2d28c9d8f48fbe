package webhooks

import (
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

// Limits of the headers of an endpoint.
const (
	maxHeaders     = 20
	maxHeaderName  = 64
	maxHeaderValue = 1024
)

// checkURL fails for an address that must not be sent to.
func (s *Service) checkURL(address *string) error {
	if address == nil {
		return nil
	}
	if err := s.Sender.Check(*address); err != nil {
		return fault.Unfit("/url", err.Error())
	}
	return nil
}

func (s *Service) checkEvents(wanted []event.Kind) error {
	_, err := s.Kinds().Expand("/events", wanted)
	return err
}

// checkHeaders fails for a header that the service sets itself, or that would break the message.
func checkHeaders(headers map[string]string) error {
	if len(headers) > maxHeaders {
		return fault.Unfit("/headers", "must contain at most 20 headers")
	}
	known := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value := headers[name]
		at, canonical := fault.Pointer("headers", name), textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case known[canonical]:
			return fault.Unfit(at, "is a duplicate: header names are not case-sensitive")
		case !token(name) || len(name) > maxHeaderName:
			return fault.Unfit(at, "is not a valid header name")
		case ours(name):
			return fault.Unfit(at, "is reserved, because the service sets it")
		case len(value) > maxHeaderValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
			return fault.Unfit(at, "must be at most 1,024 characters of printable ASCII")
		}
		known[canonical] = true
	}
	return nil
}

// token reports whether a text is a name (RFC 9110 section 5.6.2).
func token(name string) bool {
	const signs = "!#$%&'*+-.^_`|~"
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		letter := (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9')
		return !letter && !strings.ContainsRune(signs, r)
	})
}

// ours reports whether the service sets a header itself, or whether it is one of the connection.
// To receivers behind CGI or WSGI an underscore is a hyphen.
func ours(name string) bool {
	name = textproto.CanonicalMIMEHeaderKey(strings.ReplaceAll(name, "_", "-"))
	switch name {
	case "Host", "Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect", "User-Agent", "Accept-Encoding":
		return true
	}
	return strings.HasPrefix(name, "Content-") || strings.HasPrefix(name, "Webhook-") || strings.HasPrefix(name, "Proxy-")
}
