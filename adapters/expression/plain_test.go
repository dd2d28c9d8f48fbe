package expression_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/ports/outbound"
)

func TestPlainValues(t *testing.T) {
	t.Parallel()
	over := []outbound.Variable{
		{Name: "n", Type: outbound.IntValue},
		{Name: "u", Type: outbound.UintValue},
		{Name: "d", Type: outbound.DoubleValue},
		{Name: "span", Type: outbound.DurationValue},
		{Name: "at", Type: outbound.TimeField},
		{Name: "text", Type: outbound.TextField},
		{Name: "flag", Type: outbound.FlagField},
		{Name: "any", Type: outbound.AnyField},
		{Name: "list", Type: outbound.ListValue, Of: outbound.IntValue},
		{Name: "map", Type: outbound.MapValue, Of: outbound.TextField},
		{Name: "ip", Type: outbound.AddressValue},
		{Name: "absent", Type: outbound.IntValue},
	}
	values := map[string]any{
		"n": int64(7), "u": uint64(8), "d": 0.5, "span": 90 * time.Second, "at": time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC),
		"text": "a", "flag": true, "any": map[string]any{"x": 1.0}, "list": []any{int64(1), int64(2)}, "map": map[string]any{"k": "v"},
		"ip": netip.MustParseAddr("::ffff:10.0.0.7"),
	}
	for source, want := range map[string]string{
		`n + 1 == 8 && u + 1u == 9u && d < 1.0`:               "true",
		`span < duration("2m") && at + span > at`:             "true",
		`flag && text == "a" && 2 in list && map["k"] == "v"`: "true",
		`any.x == 1.0`: "true",
		`ip.in_cidr("10.0.0.0/8") && ip == ipaddress("10.0.0.7")`:          "true",
		`ipaddress("2002:a00:7::1").in_cidr("10.0.0.0/24")`:                "true",
		`ip.in_cidr("10.0.1.0/24") || ipaddress("::1").in_cidr("::2/128")`: "false",
		`true || absent == 1`: "true",
	} {
		compiled, err := expression.New().Compile(source, over)
		if err != nil || !compiled.Boolean() {
			t.Errorf("Compile(%s) = %v, or it is no bool", source, err)
			continue
		}
		if got, err := compiled.Evaluate(t.Context(), values); err != nil || string(got) != want {
			t.Errorf("%s = %s, %v, want %s", source, got, err, want)
		}
	}
	for source, boolean := range map[string]bool{`n`: false, `text + "b"`: false, `any`: true, `list`: false, `ip`: false} {
		if compiled, err := expression.New().Compile(source, over); err != nil || compiled.Boolean() != boolean {
			t.Errorf("%s: %v, want a bool: %v", source, err, boolean)
		}
	}
	for _, source := range []string{`absent == 1`, `ip.in_cidr("nowhere")`, `ipaddress(text) == ip`} {
		compiled, err := expression.New().Compile(source, over)
		if err != nil {
			t.Fatal(err)
		}
		var failed *outbound.ExpressionError
		if got, err := compiled.Evaluate(t.Context(), values); !errors.As(err, &failed) {
			t.Errorf("%s = %s, %v, want an ExpressionError", source, got, err)
		}
	}
	for _, source := range []string{`n + 1.0 == d`, `text.in_cidr("10.0.0.0/8")`, `list == ["a"]`, `n.x`} {
		if _, err := expression.New().Compile(source, over); err == nil {
			t.Errorf("%s compiles over other types", source)
		}
	}
}
