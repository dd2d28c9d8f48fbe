package workspace_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/workspace"
)

func TestTheSameGrantAgainIsNoChange(t *testing.T) {
	t.Parallel()
	m := member()
	m.Assign(workspace.Builtin("member"), time.Time{})
	until := now().Add(time.Hour)
	m.Assign(workspace.Builtin("admin"), until)
	m.Assign(workspace.Builtin("admin"), until.In(time.FixedZone("elsewhere", 3600)))
	if events := m.Stored(); len(events) != 1 {
		t.Errorf("told %v, want one event", events)
	}
	if m.HoldsForGood("admin") || !m.HoldsForGood("member") || m.HoldsForGood("owner") {
		t.Error("HoldsForGood() is wrong")
	}
}
