package credential_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
)

func TestResetLiftsTheLock(t *testing.T) {
	t.Parallel()
	c := fresh()
	fail(c, 3, now())
	c.Stored()
	later := now().Add(time.Minute)
	c.Reset("new", later)
	if s := c.Snapshot(); s.Hash != "new" || !s.SetAt.Equal(later) || c.Locked(later) || c.Failing() {
		t.Errorf("after a reset: %+v", s)
	}
	if events := c.Stored(); len(events) != 1 || events[0].Kind() != credential.KindReset {
		t.Errorf("events = %v", events)
	}
}

func TestVoidTakesThePasswordAway(t *testing.T) {
	t.Parallel()
	c := fresh()
	fail(c, 3, now())
	c.Stored()
	c.Void(now().Add(time.Minute))
	if c.Hash() != "" || c.Locked(now()) || !c.Snapshot().SetAt.Equal(now().Add(time.Minute)) || len(c.Stored()) != 0 {
		t.Errorf("after Void(): %+v", c.Snapshot())
	}
}
