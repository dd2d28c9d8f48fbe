package operations_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/test/harness"
)

func rateLimitTune(root *harness.Actor, command string, most int) {
	root.Do("RATE_LIMIT.SET", harness.P{"command": command, "limit": most, "window_seconds": 60}).OK()
}

func TestResetGoesBackToTheDefault(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	rateLimitTune(root, "AUTH.LOGIN", 20)
	rateLimitTune(root, "AUTH.WHOAMI", 20)
	if !root.Do("RATE_LIMIT.RESET", harness.P{"command": "AUTH.LOGIN"}).Bool("reset") {
		t.Error("reset = false")
	}
	found := limits(root.Do("RATE_LIMIT.LIST", nil))
	wantLimit(t, found["AUTH.LOGIN ip"], 10, 60, false)
	wantLimit(t, found["AUTH.WHOAMI token"], 20, 60, true)
	events := h.Events(limit.KindReset)
	if len(events) != 1 || string(events[0].Data) != `{"command":"AUTH.LOGIN","what":"limits","key":"ip"}` {
		t.Errorf("events %+v", events)
	}
}

func TestResetEverything(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	rateLimitTune(root, "AUTH.LOGIN", 20)
	rateLimitTune(root, "AUTH.WHOAMI", 20)
	rateLimitTune(root, "*", 20)
	root.DryRun().Do("RATE_LIMIT.RESET", nil).OK()
	wantLimit(t, limits(root.Do("RATE_LIMIT.LIST", nil))["* token"], 20, 60, true)
	root.Do("RATE_LIMIT.RESET", nil).OK()
	for name, item := range limits(root.Do("RATE_LIMIT.LIST", nil)) {
		if item["tuned"] != false {
			t.Errorf("%s is still tuned", name)
		}
	}
}

func TestResetClearsTheCountersOfASubject(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	rateLimitTune(root, "AUTH.CHECK_PASSWORD", 1)
	rateLimitTune(root, "AUTH.WHOAMI", 1)
	judge := func(from int) *harness.Reply {
		return h.Anonymous().From(from).Do("AUTH.CHECK_PASSWORD", harness.P{"password": "plum tree 42"})
	}
	judge(1).OK()
	judge(2).OK()
	judge(1).Fails(fault.RateLimited)
	root.Do("RATE_LIMIT.RESET", harness.P{"command": "AUTH.CHECK_PASSWORD", "subject": "10.0.0.1"}).OK()
	judge(1).OK()
	judge(2).Fails(fault.RateLimited)
	alice := h.SignUp("alice@example.com")
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.RateLimited)
	root.Do("RATE_LIMIT.RESET", harness.P{"subject": alice.SessionID}).OK()
	alice.Do("AUTH.WHOAMI", nil).OK()
	root.Do("RATE_LIMIT.RESET", harness.P{"subject": "10.0.0.2"}).OK()
	judge(2).OK()
	wantLimit(t, limits(root.Do("RATE_LIMIT.LIST", nil))["AUTH.WHOAMI token"], 1, 60, true)
	events := h.Events(limit.KindReset)
	if len(events) != 3 || string(events[0].Data) != `{"what":"counters"}` {
		t.Errorf("events %+v", events)
	}
}

func TestResetRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("RATE_LIMIT.RESET", harness.P{"command": "AUTH.LEAVE"}).Fails(fault.NotFound)
	root.Do("RATE_LIMIT.RESET", harness.P{"command": "AUTH.LEAVE", "subject": "10.0.0.1"}).Fails(fault.NotFound)
	root.Do("RATE_LIMIT.RESET", harness.P{"command": "AUTH.LOGIN", "subject": root.SessionID}).Fails(fault.Validation).Field("/subject")
	root.Do("RATE_LIMIT.RESET", harness.P{"command": "*", "subject": "ada@example.com"}).Fails(fault.Validation).Field("/subject")
	root.Do("RATE_LIMIT.RESET", harness.P{"subject": "somebody"}).Fails(fault.Validation).Field("/subject")
	root.Do("RATE_LIMIT.RESET", harness.P{"command": "AUTH.WHOAMI", "subject": root.SessionID}).Fails(fault.Validation).Field("/command")
	if got := len(h.Events(limit.KindReset)); got != 0 {
		t.Errorf("%d events, want none", got)
	}
}
