package iprule

import (
	"net/netip"

	"gatehouse.internal/domain/fault"
)

// Action is the effect of a rule.
type Action string

// The actions.
const (
	Allow Action = "allow"
	Deny  Action = "deny"
)

// SchemaFragment describes the action in a JSON Schema.
func (Action) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Allow), string(Deny)}, "examples": []any{string(Deny)}}
}

// Scope is the instance or a workspace.
type Scope string

// The scopes.
const (
	OfInstance  Scope = "instance"
	OfWorkspace Scope = "workspace"
)

// SchemaFragment describes the scope in a JSON Schema.
func (Scope) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(OfInstance), string(OfWorkspace)}}
}

// List is the name of a list of ranges.
type List string

// SchemaFragment describes the name in a JSON Schema.
func (List) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$", "examples": []any{"offices"}}
}

// mappedBits is how many leading bits make an IPv6 address a mapped IPv4 one
// (RFC 4291 section 2.5.5.2).
const mappedBits = 96

// ParseCIDR reads a range in CIDR notation. An address is the range of itself alone, host
// bits are dropped, and mapped IPv4 addresses are IPv4. A mistake is one of the parameter
// at a path.
func ParseCIDR(path, text string) (netip.Prefix, error) {
	refusal := fault.Unfit(path, "must be an IP address or a network such as 192.0.2.0/24")
	if single, err := netip.ParseAddr(text); err == nil && single.Zone() == "" {
		return netip.PrefixFrom(Plain(single), Plain(single).BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, refusal
	}
	if network.Addr().Is4In6() {
		if network.Bits() < mappedBits {
			return netip.Prefix{}, refusal
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mappedBits)
	}
	return network.Masked(), nil
}

// ParseAddress reads one address. A mistake is one of the parameter at a path.
func ParseAddress(path, text string) (netip.Addr, error) {
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" {
		return netip.Addr{}, fault.Unfit(path, "must be an IP address")
	}
	return Plain(address), nil
}

// Plain returns the one form of an address that rules are about.
func Plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
