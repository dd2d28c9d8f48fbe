package expression

import (
	"net/netip"
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"gatehouse.internal/domain/iprule"
)

// addressType is the type of IP addresses.
//
//nolint:gochecknoglobals // Types of cel-go are values, and this one never changes.
var addressType = cel.OpaqueType("ipaddress")

// address is an IP address as expressions have it.
type address struct{ netip.Addr }

// ConvertToNative returns the address as Go has it.
func (a address) ConvertToNative(of reflect.Type) (any, error) {
	if of == reflect.TypeFor[netip.Addr]() {
		return a.Addr, nil
	}
	return types.String(a.String()).ConvertToNative(of)
}

// ConvertToType returns the address as a text, or its type.
func (a address) ConvertToType(of ref.Type) ref.Val {
	switch of {
	case types.StringType:
		return types.String(a.String())
	case types.TypeType:
		return addressType
	}
	return types.NewErr("an address cannot become a %s", of.TypeName())
}

// Equal reports whether both are the same address.
func (a address) Equal(other ref.Val) ref.Val {
	of, ok := other.(address)
	return types.Bool(ok && of.Addr == a.Addr)
}

// Type returns the type of addresses.
func (address) Type() ref.Type { return addressType }

// Value returns the address as Go has it.
func (a address) Value() any { return a.Addr }

// adapter makes values of what expressions read.
type adapter struct{ types.Adapter }

// NativeToValue knows addresses beside what cel-go knows.
func (a adapter) NativeToValue(value any) ref.Val {
	if ip, ok := value.(netip.Addr); ok {
		return address{ip.Unmap()}
	}
	return a.Adapter.NativeToValue(value)
}

func parseAddress(text ref.Val) ref.Val {
	plain, ok := text.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	ip, err := netip.ParseAddr(string(plain))
	if err != nil {
		return types.NewErr("the text is not an IP address")
	}
	return address{ip.Unmap()}
}

func inNetwork(of, network ref.Val) ref.Val {
	ip, ok := of.(address)
	text, known := network.(types.String)
	if !ok || !known {
		return types.MaybeNoSuchOverloadErr(of)
	}
	prefix, err := netip.ParsePrefix(string(text))
	if err != nil {
		return types.NewErr("the text is not a network in CIDR notation")
	}
	_, covered := iprule.Covers(prefix, ip.Addr)
	return types.Bool(covered)
}
