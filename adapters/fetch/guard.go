package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"

	"gatehouse.internal/ports/outbound"
)

// Guard keeps calls to addresses that users chose out of this machine and of private
// networks: once by what an address says, and again by what is dialed in the end.
type Guard struct {
	guardian *ssrf.Guardian
	through  Inward
}

// Inward says which addresses are let through beside public ones.
type Inward int

// What may be let through.
const (
	// None lets public addresses through alone.
	None Inward = iota
	// Loopback adds this machine.
	Loopback
	// Private adds this machine and private networks; link-local addresses, where the
	// metadata of clouds are, stay out.
	Private
)

// NewGuard makes a guard.
func NewGuard(through Inward) Guard {
	var v4, v6 []netip.Prefix
	if through >= Loopback {
		v4, v6 = prefixes("127.0.0.0/8"), prefixes("::1/128")
	}
	if through == Private {
		v4, v6 = append(v4, prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")...), append(v6, prefixes("fc00::/7")...)
	}
	guardian := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	return Guard{guardian: guardian, through: through}
}

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// host fails with outbound.ErrInward for a host that is an inward one by its form alone, or that
// has no form in which it could be looked up.
func (g Guard) host(name string) error {
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		// As net/http does: full-width digits, for one, are looked up as plain ones.
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return fmt.Errorf("%w: %w", outbound.ErrInward, err)
		}
		name = ascii
	}
	host := strings.TrimSuffix(strings.ToLower(name), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return outbound.ErrInward
		}
		if err := g.guardian.SafeAddr(ip); err != nil {
			return fmt.Errorf("%w: %w", outbound.ErrInward, err)
		}
		return nil
	}
	switch {
	case oldIPv4(host):
		return outbound.ErrInward
	case host == "localhost" && g.through >= Loopback, g.through == Private, !inwardName(host):
		return nil
	}
	return outbound.ErrInward
}

// reserved are the ports below which services of the system listen.
const reserved = 1024

// port fails for a port at which no web server is expected.
func port(address *url.URL) error {
	if address.Port() == "" {
		return nil
	}
	number, err := strconv.Atoi(address.Port())
	if err != nil || number < 1 || number > 65535 || (number < reserved && number != 80 && number != 443) {
		return errPort
	}
	return nil
}

var errPort = errors.New("the port is reserved for a service other than the web")
