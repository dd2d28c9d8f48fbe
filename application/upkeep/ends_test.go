package upkeep_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/test/harness"
)

// What the clock ends of licenses is told once, in batches, by one of four replicas; what
// is renewed ends and is told anew, what is suspended is told when that is over.
func TestEndsAreReportedOnce(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { endsReportedOnce(t, database) })
		})
	}
}

func endsReportedOnce(t *testing.T, database string) {
	replicas, keepers := replicate(t, database)
	h := replicas[0]
	ada := h.SignUp("ada@example.com")
	ada.Do("PRODUCT.CREATE", harness.P{"name": "Table", "slug": "table"}).OK()
	policy := ada.Do("LICENSE.POLICY_CREATE", harness.P{
		"name": "Floating", "floating": true, "seats": 500, "max_machines": 500, "heartbeat_minutes": 1, "duration_days": 1,
	}).OK().String("policy.id")
	issue := func() (id, key string) {
		made := ada.Do("LICENSE.ISSUE", harness.P{"product_id": "table", "policy_id": policy}).OK()
		return made.String("license.id"), made.String("key")
	}
	id, key := issue()
	suspended, _ := issue()
	revoked, _ := issue()
	ada.Do("LICENSE.SUSPEND", harness.P{"license_id": suspended}).OK()
	ada.Do("LICENSE.REVOKE", harness.P{"license_id": revoked}).OK()
	const machines = 250 // more than a batch
	call := func(command string, i int) {
		params := harness.P{"key": key, "machine": fmt.Sprint(i)}
		h.Anonymous().Do("LICENSE."+command, params).OK()
	}
	for i := range machines {
		call("MACHINE_ACTIVATE", i)
		if i < 2 {
			call("LEASE_ACQUIRE", i)
		}
	}
	start(t, keepers...)
	want := func(lapsed, leases, expired int) {
		t.Helper()
		pass()
		wantEvents(t, h, license.KindLapsed, lapsed)
		wantEvents(t, h, license.KindLeaseExpired, leases)
		wantEvents(t, h, license.KindExpired, expired)
	}
	advance := func(by time.Duration) {
		for _, one := range replicas {
			one.Clock.Advance(by)
		}
	}
	want(0, 0, 0)
	advance(time.Minute)
	want(machines, 0, 0)
	want(machines, 0, 0)
	call("MACHINE_HEARTBEAT", 0) // which has a place anew
	advance(time.Minute)
	want(machines+1, 0, 0)
	advance(time.Hour)
	want(machines+1, 2, 0)
	advance(23 * time.Hour)
	want(machines+1, 2, 1)

	ada = h.Login("ada@example.com", harness.Password)
	until := h.Clock.Now().Add(time.Hour)
	ada.Do("LICENSE.UPDATE", harness.P{"license_id": id, "expires_at": until}).OK()
	ada.Do("LICENSE.REINSTATE", harness.P{"license_id": suspended}).OK()
	want(machines+1, 2, 2)
	advance(time.Hour)
	want(machines+1, 2, 3)
	tellsOf(t, wantEvents(t, h, license.KindExpired, 3)[0], id, until)
}

// tellsOf fails the test unless an event tells of a license and its end.
func tellsOf(t *testing.T, recorded event.Record, id string, ended time.Time) {
	t.Helper()
	var content struct {
		LicenseID string    `json:"license_id"`
		EndedAt   time.Time `json:"ended_at"`
	}
	if err := json.Unmarshal(recorded.Data, &content); err != nil || content.LicenseID != id || !content.EndedAt.Equal(ended) {
		t.Errorf("told %s (%v)", recorded.Data, err)
	}
	if recorded.Origin.ActorKind != "system" {
		t.Errorf("told by %s", recorded.Origin.ActorKind)
	}
}

// API keys are announced a week before they expire, once for each expiry time, by one of four
// replicas. Revoked keys are not, nor those that live no longer than a week.
func TestExpiringKeysAreAnnouncedOnce(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { keysAnnouncedOnce(t, database) })
		})
	}
}

func keysAnnouncedOnce(t *testing.T, database string) {
	replicas, keepers := replicate(t, database)
	h := replicas[0]
	ada := h.SignUp("ada@example.com")
	const day = 24 * time.Hour
	create := func(life time.Duration) string {
		ends := h.Clock.Now().Add(life)
		return ada.Do("API_KEY.CREATE", harness.P{"name": "key", "scopes": []string{}, "expires_at": ends}).OK().String("api_key.id")
	}
	long, revoked := create(10*day), create(10*day)
	create(7 * day)
	ada.Do("API_KEY.CREATE", harness.P{"name": "key", "scopes": []string{}}).OK()
	ada.Do("API_KEY.REVOKE", harness.P{"key_id": revoked}).OK()
	start(t, keepers...)
	want := func(after time.Duration, count int) {
		t.Helper()
		for _, one := range replicas {
			one.Clock.Advance(after)
		}
		pass()
		wantEvents(t, h, apikey.KindExpiring, count)
	}
	want(0, 0)
	want(3*day-2*time.Minute, 0)
	want(2*time.Minute, 1)
	want(time.Minute, 1)
	ada = h.Login("ada@example.com", harness.Password)
	ada.Do("API_KEY.UPDATE", harness.P{"key_id": long, "expires_at": h.Clock.Now().Add(8 * day)}).OK()
	want(0, 1)
	want(2*day, 2)
}
