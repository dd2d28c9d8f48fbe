package plan

import (
	"context"
	"net/netip"
	"slices"
	"strconv"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/iprule"
)

type addressConfig struct {
	CIDRs []string    `json:"cidrs,omitzero" doc:"IP ranges or single IP addresses, IPv4 or IPv6. Provide cidrs, list, or both." jsonschema:"minItems=1,maxItems=500,minLength=1,maxLength=64,example=192.0.2.0/24"`
	List  iprule.List `json:"list,omitzero" doc:"Name of a list from IP_RULE.CREATE, in addition to or instead of cidrs. Flows of a workspace use its lists, and flows of the instance use the instance's lists." example:"-"`
}

func allowlist() Kind {
	return addresses("ip_allowlist", "Branches on whether the request comes from one of these allowed addresses.")
}

func denylist() Kind {
	return addresses("ip_denylist", "Branches on whether the request comes from one of these blocked addresses.")
}

func addresses(name, summary string) Kind {
	return define(Kind{
		Type: name, Summary: summary, Outputs: []string{yes, no}, Example: flow.Config{"cidrs": []any{"192.0.2.0/24", "2001:db8::/32"}},
	}, func(b *builder, c addressConfig) act {
		b.reads("ip.address")
		if c.CIDRs == nil && c.List == "" {
			b.complain("must contain cidrs or list", "config")
		}
		ranges := make([]netip.Prefix, len(c.CIDRs))
		for i, text := range c.CIDRs {
			parsed, ok := parseRange(text)
			if !ok {
				b.complain("must be an IP address or a CIDR range", "config", "cidrs", strconv.Itoa(i))
			}
			ranges[i] = parsed
		}
		return func(ctx context.Context, r *run) (string, error) {
			from, err := r.address()
			if err != nil {
				return "", err
			}
			inside := slices.ContainsFunc(ranges, func(p netip.Prefix) bool {
				_, covered := iprule.Covers(p, from)
				return covered
			})
			if inside || c.List == "" {
				return decided(inside), nil
			}
			listed, err := r.effects.Listed(ctx, c.List, from)
			return decided(listed), err
		}
	})
}

// mapped is the prefix length of IPv4-mapped IPv6 addresses.
const mapped = 96

// parseRange reads a range or an address; mapped forms are those of IPv4.
func parseRange(text string) (netip.Prefix, bool) {
	if one, err := netip.ParseAddr(text); err == nil && one.Zone() == "" {
		one = one.Unmap()
		return netip.PrefixFrom(one, one.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	if p.Addr().Is4In6() && p.Bits() >= mapped {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p.Masked(), true
}
