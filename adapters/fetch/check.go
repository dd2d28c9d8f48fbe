package fetch

import (
	"slices"
	"strings"
)

// inwardDomains are never delegated in the public DNS: RFC 6761 section 6.3, RFC 6762
// section 3, RFC 8375, and ICANN's reservation of internal for private use; localdomain is what
// systems call their own.
func inwardDomains() []string {
	return []string{"localhost", "localdomain", "local", "home.arpa", "internal"}
}

// Check returns outbound.ErrInward for an address that Fetch could never reach: an
// inward IP address, in whatever form a resolver takes for one, or a name that only a
// private network knows.
func (c *Client) Check(address string) error {
	parsed, err := c.parse(address)
	if err != nil {
		return err
	}
	return c.guard.host(parsed.Hostname())
}

// oldIPv4 reports whether a name is an IPv4 address in an old form, such as 127.1 or
// 0x7f000001: its last label is a number.
func oldIPv4(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == ""
}

// inwardName reports whether only a private network, or nobody, knows a name.
func inwardName(host string) bool {
	if !strings.Contains(host, ".") {
		return true
	}
	return slices.ContainsFunc(inwardDomains(), func(domain string) bool { return strings.HasSuffix(host, "."+domain) })
}
