package apikey

import (
	"fmt"
	"net/netip"
	"slices"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/user"
)

// MaxNetworks is how many networks a key may be narrowed to.
const MaxNetworks = 50

// Name is the display name of a key.
type Name string

// UnmarshalText reads a name as user.Shown does.
func (n *Name) UnmarshalText(text []byte) error { return user.ReadShown(n, text) }

// SchemaFragment describes the name in a JSON Schema.
func (Name) SchemaFragment() map[string]any { return user.LabelSchema("nightly backup") }

// Prefix is the leading part of a key, as lists show it.
type Prefix string

// SchemaFragment describes the value in a JSON Schema. Complete keys are rejected,
// since they must not be sent for a search.
func (Prefix) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "pattern": "^" + string(keytext.APIKey) + "[0-9A-Za-z]{0,4}$",
		"examples": []any{string(keytext.APIKey) + "4fQz"},
	}
}

// Networks reads addresses and networks in CIDR notation, each once. An address
// is the network of itself alone, and host bits are dropped. A mistake is a
// complaint about the item of the parameter /allowed_ips. The result is nil only
// when the list is.
func Networks(texts []string) ([]netip.Prefix, error) {
	if texts == nil {
		return nil, nil
	}
	if len(texts) > MaxNetworks {
		return nil, fault.Unfit("/allowed_ips", fmt.Sprintf("must have at most %d items", MaxNetworks))
	}
	networks := make([]netip.Prefix, 0, len(texts))
	for i, text := range texts {
		network, ok := parseNetwork(text)
		if !ok {
			return nil, fault.Unfit(fmt.Sprintf("/allowed_ips/%d", i), "must be an IP address or a network such as 192.0.2.0/24")
		}
		if !slices.Contains(networks, network) {
			networks = append(networks, network)
		}
	}
	return networks, nil
}

// mappedBits is how many leading bits make an IPv6 address a mapped IPv4 one
// (RFC 4291 section 2.5.5.2).
const mappedBits = 96

func parseNetwork(text string) (netip.Prefix, bool) {
	if single, err := netip.ParseAddr(text); err == nil {
		single = single.Unmap()
		return netip.PrefixFrom(single, single.BitLen()), single.Zone() == ""
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	if network.Addr().Is4In6() {
		if network.Bits() < mappedBits {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mappedBits)
	}
	return network.Masked(), true
}
