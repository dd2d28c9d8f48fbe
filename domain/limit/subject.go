package limit

import "net/netip"

// ipv6Bits is the prefix that one subscriber holds: within it addresses are free.
const ipv6Bits = 64

// Subject names a client address for counting: IPv4, also mapped into IPv6, by
// address; IPv6 by its /64 prefix; zones are left out. All unknown addresses are
// one subject, "unknown".
func Subject(ip netip.Addr) string {
	ip = ip.Unmap()
	if !ip.IsValid() {
		return "unknown"
	}
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, ipv6Bits).Masked().String()
}
