package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// addresses finds out who a request comes from.
type addresses struct{ trusted []netip.Prefix }

// trusting makes addresses that believe what these proxies say about their
// clients. A prefix of v4-mapped addresses means the IPv4 addresses in it.
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

// Clients finds out who requests come from for others than a Server, believing what
// these proxies say.
func Clients(proxies []netip.Prefix) func(*http.Request) netip.Addr { return trusting(proxies).client }

// client returns the client's address: the socket's, or behind trusted proxies the
// right-most hop of X-Forwarded-For that is none of them. What stands left of
// it was written by the client and is not believed. A hop that is no address
// ends the walk at the last one known. Without a socket address (a Unix socket)
// the answer is the zero Addr.
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

// walk goes through one header line from its right end. It returns the last
// address known, and reports whether the walk ends with it.
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

// parseHop reads an address as proxies write it: bare, in brackets, or with a port.
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

// plain returns the one form of an address that limits count by.
func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
