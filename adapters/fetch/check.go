package fetch

import (
	"fmt"
	"net/netip"
	"strings"

	"gatehouse.internal/ports/outbound"
)

// inwardDomains are never delegated in the public DNS: RFC 6761 section 6.3, RFC 6762
// section 3, RFC 8375, and ICANN's reservation of internal for private use.
func inwardDomains() []string { return []string{"localhost", "local", "home.arpa", "internal"} }

// Check returns outbound.ErrInward for an address that Fetch could never reach: an
// inward IP address, in whatever form a resolver takes for one, or a name that only a
// private network knows.
func (c *Client) Check(address string) error {
	parsed, err := parse(address)
	if err != nil {
		return err
	}
	host := strings.TrimSuffix(strings.ToLower(parsed.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		if err := c.guard.SafeAddr(ip); err != nil {
			return fmt.Errorf("%w: %w", outbound.ErrInward, err)
		}
		return nil
	}
	if inwardName(host) {
		return outbound.ErrInward
	}
	return nil
}

// inwardName reports whether only a private network, or nobody, knows a name. One
// whose last label is a number is an IPv4 address in an old form, such as 127.1 or
// 0x7f000001.
func inwardName(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == host || strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == "" {
		return true
	}
	for _, domain := range inwardDomains() {
		if strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}
