package bootstrap

import (
	"errors"
	"net"
	"strconv"

	"gatehouse.internal/adapters/dns"
)

// DNSConfig is whom DNS is asked from.
type DNSConfig struct {
	// DNSResolver is the host:port of a recursive resolver; empty: those of the machine.
	DNSResolver string `env:"DNS_RESOLVER"`
}

func (c *DNSConfig) checkDNS() error {
	if c.DNSResolver == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(c.DNSResolver)
	number, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil || number == 0 || host == "" {
		return errors.New("DNS_RESOLVER is no host:port: set it to a recursive resolver, such as 127.0.0.1:53")
	}
	return nil
}

func (p *parts) dns() dns.Resolver {
	return dns.Resolver{Server: p.config.DNSResolver, Random: p.random}
}
