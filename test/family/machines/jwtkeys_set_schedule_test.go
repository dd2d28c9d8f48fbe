package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/test/harness"
)

func TestSetSchedule(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	r := root.Do("JWT_KEY.SET_SCHEDULE", harness.P{"every_days": 30, "algorithm": "RS256", "overlap_hours": 0})
	want := harness.P{
		"every_days": 30.0, "algorithm": "RS256", "overlap_hours": 0.0,
		"next_at": h.Clock.Now().AddDate(0, 0, 30).Format(time.RFC3339Nano),
	}
	listed := root.Do("JWT_KEY.LIST", nil)
	for name := range want {
		if got, _ := r.Data["schedule"].(harness.P); got[name] != want[name] {
			t.Errorf("schedule.%s = %v, want %v", name, got[name], want[name])
		}
		if got, _ := listed.Data["schedule"].(harness.P); got[name] != want[name] {
			t.Errorf("listed schedule.%s = %v, want %v", name, got[name], want[name])
		}
	}
	for _, key := range listed.List("items") {
		if key["state"] == "next" && key["algorithm"] != "RS256" {
			t.Errorf("the key that waits is %v", key)
		}
	}
	if got := len(h.Events(signingkey.KindScheduleSet)); got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}

func TestSetScheduleDefaults(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r := h.Superadmin().Do("JWT_KEY.SET_SCHEDULE", harness.P{"every_days": 1})
	if r.String("schedule.algorithm") != "ES256" || r.Int("schedule.overlap_hours") != 24 {
		t.Errorf("schedule = %v", r.Data["schedule"])
	}
}

func TestSetScheduleToNever(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for _, never := range []harness.P{{"every_days": nil}, {}} {
		root.Do("JWT_KEY.SET_SCHEDULE", harness.P{"every_days": 1}).OK()
		if r := root.Do("JWT_KEY.SET_SCHEDULE", never).OK(); r.Data["schedule"] != nil {
			t.Errorf("schedule = %v, want null", r.Data["schedule"])
		}
		if r := root.Do("JWT_KEY.LIST", nil).OK(); r.Data["schedule"] != nil {
			t.Errorf("listed schedule = %v, want null", r.Data["schedule"])
		}
	}
}
