package upkeep_test

import (
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/test/harness"
)

const day = 24 * time.Hour

func TestKeeperRotatesWhenItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		h.Superadmin().Do("JWT_KEY.SET_SCHEDULE", harness.P{"every_days": 2, "algorithm": "RS256", "overlap_hours": 1}).OK()
		h.Clock.Advance(2*day - time.Microsecond)
		pass()
		wantEvents(t, h, signingkey.KindRotated, 0)
		old := h.Superadmin()
		h.Clock.Advance(time.Microsecond)
		pass()
		wantEvents(t, h, signingkey.KindRotated, 1)
		old.Do("AUTH.WHOAMI", nil).OK()
		listed := h.Superadmin().Do("JWT_KEY.LIST", nil)
		for _, item := range listed.List("items") {
			if item["state"] == "active" && item["algorithm"] != "RS256" {
				t.Errorf("the active key is %v, want RS256", item)
			}
			if until := h.Clock.Now().Add(time.Hour).Format(time.RFC3339Nano); item["state"] == "overlapping" && item["overlap_until"] != until {
				t.Errorf("the overlapping key is %v, want until %s", item, until)
			}
		}
		if want := h.Clock.Now().Add(2 * day).Format(time.RFC3339Nano); listed.String("schedule.next_at") != want {
			t.Errorf("schedule.next_at = %s, want %s", listed.String("schedule.next_at"), want)
		}
		pass()
		wantEvents(t, h, signingkey.KindRotated, 1)
	})
}

// The key of ID tokens is replaced with that of access tokens, as long as an app needs it.
func TestKeeperRotatesEveryAlgorithm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		root := h.Superadmin()
		root.Do("APP.REGISTER", harness.P{
			"name": "Old", "slug": "old", "type": "web", "redirect_urls": []string{"https://old.example.com/cb"}, "id_token_signed_response_alg": "RS256",
		}).OK()
		root.Do("JWT_KEY.SET_SCHEDULE", harness.P{"every_days": 1}).OK()
		active := func() map[any]any {
			kids := map[any]any{}
			for _, item := range h.Superadmin().Do("JWT_KEY.LIST", nil).OK().List("items") {
				if item["state"] == "active" {
					kids[item["algorithm"]] = item["kid"]
				}
			}
			return kids
		}
		before := active()
		h.Clock.Advance(day)
		pass()
		after := active()
		for _, algorithm := range signingkey.ForTokens() {
			if one := string(algorithm); before[one] == nil || after[one] == nil || before[one] == after[one] {
				t.Errorf("%s: %v signs after %v", one, after[one], before[one])
			}
		}
	})
}

func TestReplicasRotateOnce(t *testing.T) {
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				replicas, keepers := replicate(t, database)
				start(t, keepers...)
				replicas[0].Superadmin().Do("JWT_KEY.SET_SCHEDULE", harness.P{"every_days": 1, "overlap_hours": 0}).OK()
				for _, h := range replicas {
					h.Clock.Advance(day + time.Minute)
				}
				pass()
				wantEvents(t, replicas[0], signingkey.KindRotated, 1)
				replicas[1].With(replicas[0].Superadmin().AccessToken).Do("AUTH.WHOAMI", nil).OK()
			})
		})
	}
}

func TestKeeperForgetsOldKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		root := h.Superadmin()
		retired := root.Do("JWT_KEY.ROTATE", harness.P{"overlap_hours": 1}).String("previous_kid")
		revoked := root.Do("JWT_KEY.ROTATE", nil).String("previous_kid")
		h.Clock.Advance(time.Hour)
		h.Superadmin().Do("JWT_KEY.REVOKE", harness.P{"kid": revoked}).OK()
		h.Clock.Advance(7*day - time.Microsecond)
		pass()
		if got := len(h.Superadmin().Do("JWT_KEY.LIST", nil).List("items")); got != 4 {
			t.Errorf("%d keys before seven days have passed, want 4", got)
		}
		wantEvents(t, h, signingkey.KindRetired, 0)
		h.Clock.Advance(time.Microsecond)
		pass()
		items := h.Superadmin().Do("JWT_KEY.LIST", nil).List("items")
		if len(items) != 2 {
			t.Errorf("items = %v, want the active and the next key", items)
		}
		if got, want := string(wantEvents(t, h, signingkey.KindRetired, 1)[0].Data), `{"kid":"`+retired+`"}`; got != want {
			t.Errorf("event %s, want %s", got, want)
		}
		h.With(root.AccessToken).Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
	})
}
