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
	CIDRs []string    `json:"cidrs,omitzero" doc:"Ranges of addresses, IPv4 and IPv6, or single addresses." jsonschema:"minItems=1,maxItems=500,minLength=1,maxLength=64,example=192.0.2.0/24"`
	List  iprule.List `json:"list,omitzero" doc:"Besides or in place of them: a list of IP_RULE.CREATE, of the workspace or, for flows of the instance, of that." example:"-"`
}

func allowlist() Kind {
	return addresses("ip_allowlist", "Goes on by whether the call comes from one of these addresses: those that are let in.")
}

func denylist() Kind {
	return addresses("ip_denylist", "Goes on by whether the call comes from one of these addresses: those that are kept out.")
}

func addresses(name, summary string) Kind {
	return define(Kind{
		Type: name, Summary: summary, Outputs: []string{yes, no}, Example: flow.Config{"cidrs": []any{"192.0.2.0/24", "2001:db8::/32"}},
	}, func(b *builder, c addressConfig) act {
		b.reads("ip.address")
		if c.CIDRs == nil && c.List == "" {
			b.complain("names neither cidrs nor a list", "config")
		}
		ranges := make([]netip.Prefix, len(c.CIDRs))
		for i, text := range c.CIDRs {
			parsed, ok := parseRange(text)
			if !ok {
				b.complain("is neither a range of addresses nor an address", "config", "cidrs", strconv.Itoa(i))
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
