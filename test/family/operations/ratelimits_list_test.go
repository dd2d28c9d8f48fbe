package operations_test

import (
	"maps"
	"testing"

	"gatehouse.internal/test/harness"
)

// limits returns the listed limits by command and key.
func limits(r *harness.Reply) map[string]harness.P {
	found := map[string]harness.P{}
	for _, item := range r.List("items") {
		command, _ := item["command"].(string)
		key, _ := item["key"].(string)
		found[command+" "+key] = item
	}
	return found
}

func wantLimit(t *testing.T, got harness.P, limit, window float64, tuned bool) {
	t.Helper()
	if got["limit"] != limit || got["window_seconds"] != window || got["tuned"] != tuned {
		t.Errorf("%v, want %v in %v seconds, tuned %v", got, limit, window, tuned)
	}
}

func wantDefault(t *testing.T, got harness.P, want harness.P) {
	t.Helper()
	is, _ := got["default"].(harness.P)
	if (is == nil) != (want == nil) || !maps.Equal(is, want) {
		t.Errorf("default = %v, want %v", got["default"], want)
	}
}

func TestListShowsDefaultsAndWhatWasTuned(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	before := root.Do("RATE_LIMIT.LIST", nil)
	if first := before.List("items")[0]; first["command"] != "*" {
		t.Errorf("the first limit is that of %v, want *", first["command"])
	}
	found := limits(before)
	wantLimit(t, found["* token"], 600, 60, false)
	wantLimit(t, found["* ip"], 600, 60, false)
	wantDefault(t, found["* ip"], harness.P{"limit": 600.0, "window_seconds": 60.0})
	wantLimit(t, found["AUTH.LOGIN ip"], 10, 60, false)
	wantLimit(t, found["AUTH.REFRESH ip"], 6000, 60, false)
	wantLimit(t, found["AUTH.REFRESH token"], 600, 60, false)
	wantLimit(t, found["AUTH.CHECK_PASSWORD ip"], 60, 60, false)
	wantDefault(t, found["AUTH.LOGIN ip"], harness.P{"limit": 10.0, "window_seconds": 60.0})
	if _, listed := found["AUTH.WHOAMI token"]; listed {
		t.Error("AUTH.WHOAMI is listed without a limit of its own")
	}
	root.Do("RATE_LIMIT.SET", harness.P{"command": "AUTH.WHOAMI", "limit": 300, "window_seconds": 60}).OK()
	root.Do("RATE_LIMIT.SET", harness.P{"command": "AUTH.LOGIN", "limit": 20, "window_seconds": 30}).OK()
	root.Do("RATE_LIMIT.SET", harness.P{"command": "AUTH.REFRESH", "limit": 70, "window_seconds": 60, "key": "token"}).OK()
	found = limits(root.Do("RATE_LIMIT.LIST", nil))
	wantLimit(t, found["AUTH.REFRESH token"], 70, 60, true)
	wantLimit(t, found["AUTH.REFRESH ip"], 6000, 60, false)
	wantLimit(t, found["AUTH.WHOAMI token"], 300, 60, true)
	wantDefault(t, found["AUTH.WHOAMI token"], nil)
	wantLimit(t, found["AUTH.LOGIN ip"], 20, 30, true)
	wantDefault(t, found["AUTH.LOGIN ip"], harness.P{"limit": 10.0, "window_seconds": 60.0})
}
