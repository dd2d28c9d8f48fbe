package inbound_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

func TestStatusIsTotal(t *testing.T) {
	t.Parallel()
	want := map[fault.Code]int{
		fault.Validation: 400, fault.Auth: 401, fault.TokenExpired: 401, fault.TokenInvalid: 401, fault.Denied: 403,
		fault.FlowBlocked: 403, fault.NotFound: 404, fault.Unknown: 404, fault.RateLimited: 429, fault.Internal: 500,
	}
	if len(want) != len(fault.Codes()) {
		t.Errorf("%d codes are tried, there are %d", len(want), len(fault.Codes()))
	}
	for _, code := range fault.Codes() {
		if got := inbound.Status(code); got != want[code] {
			t.Errorf("Status(%s) = %d, want %d", code, got, want[code])
		}
	}
	if got := inbound.Status("SOMETHING"); got != 500 {
		t.Errorf("Status of no code = %d", got)
	}
}
