package upkeep_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/test/harness"
)

// fail counts failing logins in the minute that is so long ago.
func fail(t *testing.T, h *harness.Service, many int, ago time.Duration) {
	t.Helper()
	store(t, h, func(tx upkeep.Repos) error {
		for range many {
			if _, err := tx.Failures.Count(context.Background(), h.Clock.Now().Add(-ago)); err != nil {
				return err
			}
		}
		return nil
	})
}

func wantEvents(t *testing.T, h *harness.Service, kind event.Kind, want int) []event.Record {
	t.Helper()
	found := h.Events(kind)
	if len(found) != want {
		t.Fatalf("%d events %s, want %d", len(found), kind, want)
	}
	return found
}

// wantLoginLimit checks how many logins pass from one address.
func wantLoginLimit(t *testing.T, h *harness.Service, address, want int) {
	t.Helper()
	attempt := harness.P{"email": "nobody@example.com", "password": "not the right one"}
	for range want {
		h.Anonymous().From(address).Do("AUTH.LOGIN", attempt).Fails(fault.Auth)
	}
	h.Anonymous().From(address).Do("AUTH.LOGIN", attempt).Fails(fault.RateLimited)
}

func TestKeeperGuardsAgainstASpike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		fail(t, h, 100, 0)
		pass()
		wantEvents(t, h, loginevent.KindSpikeStarted, 0)
		fail(t, h, 1, 0)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		started := wantEvents(t, h, loginevent.KindSpikeStarted, 1)
		var spike loginevent.SpikeStarted
		if err := json.Unmarshal(started[0].Data, &spike); err != nil {
			t.Fatalf("read the event: %v", err)
		}
		if spike.Failures != 101 || spike.Usual != 5 || !spike.Until.Equal(h.Clock.Now().Add(5*time.Minute)) {
			t.Errorf("event %+v", spike)
		}
		if started[0].Origin.ActorKind != "system" {
			t.Errorf("the actor is %q, want the system", started[0].Origin.ActorKind)
		}
		wantLoginLimit(t, h, 1, 5)
		h.Clock.Advance(5 * time.Minute)
		pass()
		ended := wantEvents(t, h, loginevent.KindSpikeEnded, 1)
		var over loginevent.SpikeEnded
		if err := json.Unmarshal(ended[0].Data, &over); err != nil || !over.StartedAt.Equal(spike.Until.Add(-5*time.Minute)) {
			t.Errorf("event %s, %v", ended[0].Data, err)
		}
		wantLoginLimit(t, h, 2, 10)
		pass()
		wantEvents(t, h, loginevent.KindSpikeEnded, 1)
		wantEvents(t, h, loginevent.KindSpikeStarted, 1)
	})
}

func TestKeeperJudgesTheLastMinuteToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		fail(t, h, 101, time.Minute)
		pass()
		wantEvents(t, h, loginevent.KindSpikeStarted, 1)
	})
}

func TestKeeperKnowsWhatIsUsual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		for ago := 2; ago < 62; ago++ {
			fail(t, h, 10, time.Duration(ago)*time.Minute)
		}
		fail(t, h, 200, 0)
		pass()
		wantEvents(t, h, loginevent.KindSpikeStarted, 0)
		fail(t, h, 1, 0)
		pass()
		wantEvents(t, h, loginevent.KindSpikeStarted, 1)
	})
}

func TestContinuingSpikeIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		for range 12 { // after three minutes it would be usual, five later the guard off
			fail(t, h, 150, 0)
			pass()
			h.Clock.Advance(time.Minute)
		}
		wantEvents(t, h, loginevent.KindSpikeStarted, 1)
		wantEvents(t, h, loginevent.KindSpikeEnded, 0)
		wantLoginLimit(t, h, 1, 5)
	})
}

func TestReplicasReportASpikeOnce(t *testing.T) {
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				replicas, keepers := replicate(t, database)
				start(t, keepers...)
				fail(t, replicas[0], 150, 0)
				pass()
				wantEvents(t, replicas[0], loginevent.KindSpikeStarted, 1)
				wantLoginLimit(t, replicas[1], 1, 5)
				for _, h := range replicas {
					h.Clock.Advance(6 * time.Minute)
				}
				pass()
				wantEvents(t, replicas[0], loginevent.KindSpikeEnded, 1)
			})
		})
	}
}

func TestProlongingSparesTheConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		fail(t, h, 150, 0)
		pass()
		h.Superadmin()
		before := h.Engine.Instance.State().Revision
		h.Clock.Advance(50 * time.Second)
		fail(t, h, 150, 0)
		pass()
		h.Superadmin()
		if got := h.Engine.Instance.State().Revision; got != before {
			t.Errorf("revision %d after %d, though the guard holds for long enough", got, before)
		}
		h.Clock.Advance(10 * time.Second)
		fail(t, h, 150, 0)
		pass()
		h.Superadmin()
		if got := h.Engine.Instance.State().Revision; got != before+1 {
			t.Errorf("revision %d after %d, want one more", got, before)
		}
	})
}
