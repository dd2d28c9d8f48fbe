package mail

import (
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/secret"
)

// The usual ports (RFC 6409, RFC 8314).
const (
	portSubmission  = 587
	portSubmissions = 465
)

// Settings are how to reach the mail server, and who sends.
type Settings struct {
	Host string
	Port int
	// Implicit is TLS from the first byte; else it is asked for by STARTTLS.
	Implicit bool
	// Plain sends without TLS, to this machine alone.
	Plain          bool
	User, Password secret.String
	From           mail.Address
}

// Errors of settings; none quotes a value.
var (
	errURL  = errors.New("set it to smtp://user:password@host:587 or smtps://user:password@host:465, without a path")
	errFrom = errors.New("set it to an email address with an optional name, such as Example <no-reply@example.com>")
)

// ParseURL reads the address of a mail server. An smtp address is used with
// STARTTLS; on the loopback interface without TLS.
func ParseURL(text string) (Settings, error) {
	address, err := url.Parse(text)
	if err != nil || address.Hostname() == "" || (address.Path != "" && address.Path != "/") || address.RawQuery != "" || address.Fragment != "" {
		return Settings{}, errURL
	}
	s := Settings{Host: address.Hostname(), Port: portSubmission}
	switch address.Scheme {
	case "smtp":
		s.Plain = loopback(s.Host)
	case "smtps":
		s.Implicit, s.Port = true, portSubmissions
	default:
		return Settings{}, errURL
	}
	if port := address.Port(); port != "" {
		const highest = 65535
		if s.Port, err = strconv.Atoi(port); err != nil || s.Port < 1 || s.Port > highest {
			return Settings{}, errURL
		}
	}
	password, given := address.User.Password()
	if (address.User.Username() != "") != (given && password != "") {
		return Settings{}, errURL
	}
	s.User, s.Password = secret.New(address.User.Username()), secret.New(password)
	return s, nil
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// ParseFrom reads who sends, as MAIL_FROM holds it.
func ParseFrom(text string) (mail.Address, error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return mail.Address{}, errFrom
	}
	address, err := email.Parse(parsed.Address)
	if err != nil {
		return mail.Address{}, errFrom
	}
	return mail.Address{Name: parsed.Name, Address: address.String()}, nil
}
