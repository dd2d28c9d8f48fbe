package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	sentinel := fault.New(fault.NotFound, "no such thing")
	cause := errors.New("password=hunter2")
	tests := []struct {
		name string
		err  error
		want fault.Code
	}{
		{"a fault is itself", sentinel, fault.NotFound},
		{"a wrapped fault is found", fmt.Errorf("look up: %w", sentinel), fault.NotFound},
		{"anything else is internal", cause, fault.Internal},
	}
	for _, test := range tests {
		if got := fault.From(test.err); got.Code != test.want {
			t.Errorf("%s: From() = %v, want %s", test.name, got, test.want)
		}
	}
	hidden := fault.From(cause)
	if strings.Contains(hidden.Error(), "hunter2") {
		t.Error("an internal error shows its cause")
	}
	if !errors.Is(hidden, cause) {
		t.Error("an internal error lost its cause for the log")
	}
}

func TestBecauseKeepsIdentity(t *testing.T) {
	t.Parallel()
	sentinel := fault.New(fault.Auth, "no")
	cause := errors.New("why")
	err := sentinel.Because(cause)
	if !errors.Is(err, sentinel) || !errors.Is(err, cause) {
		t.Error("a sentinel with a cause is not both")
	}
	if errors.Is(sentinel, cause) {
		t.Error("Because() changed the sentinel")
	}
	if errors.Is(err, fault.New(fault.Auth, "other")) {
		t.Error("faults of one code with other messages are equal")
	}
}

func TestPublicErrors(t *testing.T) {
	t.Parallel()
	outside := fault.Outside("DNS does not answer")
	if outside.Code != fault.Internal || !outside.Public() || !outside.Because(errors.New("why")).Public() {
		t.Error("what is outside is not told")
	}
	if fault.New(fault.Internal, "no").Public() || fault.From(errors.New("no")).Public() || !fault.New(fault.Auth, "no").Public() {
		t.Error("an internal error is told")
	}
}

func TestUnfitNamesItsParameter(t *testing.T) {
	t.Parallel()
	refused := fault.Unfit("/until", "must be in the future")
	if refused.Code != fault.Validation || refused.Message != "/until must be in the future" ||
		len(refused.Fields) != 1 || refused.Fields[0] != (fault.Field{Path: "/until", Message: "must be in the future"}) {
		t.Errorf("Unfit() = %+v", refused)
	}
}

func TestLimitReachedGivesTheLimitAndTheRemedy(t *testing.T) {
	t.Parallel()
	reached := fault.LimitReached("license policy", 1000, "delete unused policies")
	if reached.Code != fault.Validation || reached.Message != "license policy limit reached (1,000): delete unused policies" {
		t.Errorf("LimitReached() = %v", reached)
	}
	if bare := fault.LimitReached("attempt", 100, ""); bare.Message != "attempt limit reached (100)" {
		t.Errorf("LimitReached() without a remedy = %v", bare)
	}
}

func TestGroupedSeparatesThousands(t *testing.T) {
	t.Parallel()
	for number, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 86400: "86,400", 1000000: "1,000,000", -100: "-100", -1000: "-1,000"} {
		if got := fault.Grouped(number); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", number, got, want)
		}
	}
}
