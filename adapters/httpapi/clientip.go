package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// addresses determines client addresses behind trusted proxies.
type addresses struct{ trusted []netip.Prefix }

// trusting returns addresses that trust these proxies. IPv4-mapped prefixes match IPv4
// addresses.
func trusting(proxies []netip.Prefix) addresses {
	const mapped = 96
	trusted := make([]netip.Prefix, 0, len(proxies))
	for _, proxy := range proxies {
		if proxy.Addr().Is4In6() && proxy.Bits() >= mapped {
			proxy = netip.PrefixFrom(proxy.Addr().Unmap(), proxy.Bits()-mapped)
		}
		trusted = append(trusted, proxy.Masked())
	}
	return addresses{trusted: trusted}
}

// Clients returns a function that determines client addresses behind trusted proxies,
// for handlers outside of Server.
func Clients(proxies []netip.Prefix) func(*http.Request) netip.Addr { return trusting(proxies).client }

// client returns the client's address: the peer address or, behind trusted proxies, the
// right-most untrusted hop of X-Forwarded-For. Hops left of it can be forged and are
// ignored. At an invalid hop, the last valid one is the result. Without a peer address
// (a Unix socket), the result is the zero Addr.
func (a addresses) client(r *http.Request) netip.Addr {
	socket, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	known := plain(socket.Addr())
	if len(a.trusted) == 0 || !a.trusts(known) {
		return known
	}
	lines := r.Header["X-Forwarded-For"]
	for i := len(lines) - 1; i >= 0; i-- {
		hop, end := a.walk(lines[i], known)
		if end {
			return hop
		}
		known = hop
	}
	return known
}

// walk processes a header line from the right. It returns the last address, and reports
// whether it is final.
func (a addresses) walk(line string, known netip.Addr) (netip.Addr, bool) {
	for more := true; more; {
		hop := line
		if comma := strings.LastIndexByte(line, ','); comma >= 0 {
			line, hop = line[:comma], line[comma+1:]
		} else {
			more = false
		}
		address, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			return known, true
		}
		if !a.trusts(address) {
			return address, true
		}
		known = address
	}
	return known, false
}

func (a addresses) trusts(address netip.Addr) bool {
	for _, prefix := range a.trusted {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// parseHop parses an address as proxies write it: bare, in brackets, or with a port.
func parseHop(hop string) (netip.Addr, bool) {
	if address, err := netip.ParseAddr(hop); err == nil {
		return plain(address), true
	}
	if with, err := netip.ParseAddrPort(hop); err == nil {
		return plain(with.Addr()), true
	}
	if inner, ok := strings.CutPrefix(hop, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		return plain(address), ok && err == nil && address.Is6()
	}
	return netip.Addr{}, false
}

// plain normalizes an address for rate limits: without IPv4 mapping and zone.
func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
