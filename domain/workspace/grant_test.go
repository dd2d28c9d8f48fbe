package workspace_test

import (
	"testing"
	"time"
)

func TestTheSameGrantAgainIsNoChange(t *testing.T) {
	t.Parallel()
	m := member()
	m.Assign("member", time.Time{})
	until := now().Add(time.Hour)
	m.Assign("admin", until)
	m.Assign("admin", until.In(time.FixedZone("elsewhere", 3600)))
	if told := m.Stored(); len(told) != 1 {
		t.Errorf("told %v, want one event", told)
	}
	if m.HoldsForGood("admin") || !m.HoldsForGood("member") || m.HoldsForGood("owner") {
		t.Error("HoldsForGood() is wrong")
	}
}
