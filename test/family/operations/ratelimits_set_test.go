package operations_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/test/harness"
)

func TestRateLimitSetTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	database := harness.SQLite(t)
	one, two := harness.On(t, database), harness.On(t, database)
	alice, root := one.SignUp("alice@example.com"), one.Superadmin()
	r := root.Do("RATE_LIMIT.SET", harness.P{"command": "AUTH.WHOAMI", "limit": 2, "window_seconds": 60})
	shown, _ := r.OK().Data["rate_limit"].(harness.P)
	wantLimit(t, shown, 2, 60, true)
	if shown["command"] != "AUTH.WHOAMI" || shown["key"] != "token" {
		t.Errorf("rate_limit = %v, want AUTH.WHOAMI by token", shown)
	}
	alice.Do("AUTH.WHOAMI", nil).OK()
	two.With(alice.AccessToken).Do("AUTH.WHOAMI", nil).OK()
	for _, actor := range []*harness.Actor{alice, two.With(alice.AccessToken)} {
		refused := actor.Do("AUTH.WHOAMI", nil).Fails(fault.RateLimited)
		if after := refused.Failure.RetryAfter; after <= 0 || after > time.Minute {
			t.Errorf("RetryAfter = %v", after)
		}
	}
	root.Do("AUTH.WHOAMI", nil).OK()
	events := one.Events(limit.KindSet)
	const want = `{"command":"AUTH.WHOAMI","key":"token","limit":2,"window_seconds":60}`
	if len(events) != 1 || string(events[0].Data) != want {
		t.Errorf("events %+v, want one %s", events, want)
	}
}

func TestSetTheLimitOverAll(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	root.Do("RATE_LIMIT.SET", harness.P{"command": "*", "limit": 4, "window_seconds": 60}).OK()
	alice.Do("SESSION.LIST", nil).OK()
	alice.Do("AUTH.WHOAMI", nil).OK()
	alice.Do("SESSION.LIST", nil).OK()
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.RateLimited)
}

func TestSetKeepsTheSubjectsApart(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("RATE_LIMIT.SET", harness.P{"command": "AUTH.CHECK_PASSWORD", "limit": 1, "window_seconds": 60}).OK()
	judge := harness.P{"password": "plum tree 42"}
	h.Anonymous().From(1).Do("AUTH.CHECK_PASSWORD", judge).OK()
	h.Anonymous().From(1).Do("AUTH.CHECK_PASSWORD", judge).Fails(fault.RateLimited)
	h.Anonymous().From(2).Do("AUTH.CHECK_PASSWORD", judge).OK()
	h.Clock.Advance(time.Minute)
	h.Anonymous().From(1).Do("AUTH.CHECK_PASSWORD", judge).OK()
}

func TestSetByAccountAndByAddress(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for _, key := range []string{"user", "ip"} {
		root.Do("RATE_LIMIT.SET", harness.P{"command": "SESSION.LIST", "limit": 1, "window_seconds": 60, "key": key}).OK()
	}
	alice, again := h.SignUp("alice@example.com"), h.Login("alice@example.com", harness.Password)
	bob, carol := h.SignUp("bob@example.com"), h.SignUp("carol@example.com")
	alice.From(1).Do("SESSION.LIST", nil).OK()
	again.From(2).Do("SESSION.LIST", nil).Fails(fault.RateLimited)
	bob.From(1).Do("SESSION.LIST", nil).Fails(fault.RateLimited)
	carol.From(3).Do("SESSION.LIST", nil).OK()
}

func TestRateLimitSetRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	set := func(change harness.P) *harness.Reply {
		params := harness.P{"command": "AUTH.LOGIN", "limit": 5, "window_seconds": 60}
		for name, value := range change {
			params[name] = value
		}
		return root.Do("RATE_LIMIT.SET", params)
	}
	set(harness.P{"command": "AUTH.LEAVE"}).Fails(fault.NotFound)
	set(harness.P{"command": "auth.login"}).Fails(fault.NotFound)
	for _, key := range []string{"token", "user", "email"} { // nobody is known yet when somebody logs in
		set(harness.P{"key": key}).Fails(fault.Validation).Field("/key")
	}
	set(harness.P{"command": "AUTH.WHOAMI", "key": "email"}).Fails(fault.Validation).Field("/key")
	set(harness.P{"command": "*", "key": "user"}).Fails(fault.Validation).Field("/key")
	set(harness.P{"command": "AUTH.REFRESH"}).Fails(fault.Validation).Field("/key") // there are two
	set(harness.P{"command": "AUTH.REFRESH", "key": "token"}).OK()
	if got := len(h.Events(limit.KindSet)); got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}
