package iprule

import "net/netip"

// Covers reports whether a range contains an address, and how many leading bits of the
// address it fixes. A range of IPv4 addresses also contains the IPv6 addresses that embed
// one of them.
func Covers(cidr netip.Prefix, address netip.Addr) (bits int, ok bool) {
	if cidr.Contains(address) {
		return cidr.Bits(), true
	}
	inner, before, ok := Embedded(address)
	if !ok || !cidr.Contains(inner) {
		return 0, false
	}
	return before + cidr.Bits(), true
}

// Embedded returns the IPv4 address that an IPv6 address embeds, and how many bits come
// before it. The known forms are NAT64 (RFC 6052 section 2.1; RFC 8215 for the prefix of
// local use, with the IPv4 address at the end) and 6to4 (RFC 3056 section 2).
func Embedded(address netip.Addr) (inner netip.Addr, before int, ok bool) {
	if !address.Is6() {
		return netip.Addr{}, 0, false
	}
	b := address.As16()
	nat64 := [12]byte{0x00, 0x64, 0xff, 0x9b}
	switch {
	case b[0] == 0x20 && b[1] == 0x02:
		return netip.AddrFrom4([4]byte(b[2:6])), 16, true
	case [12]byte(b[:12]) == nat64, [6]byte(b[:6]) == [6]byte{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}:
		return netip.AddrFrom4([4]byte(b[12:])), 96, true
	default:
		return netip.Addr{}, 0, false
	}
}
