package feature_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gatehouse.internal/domain/feature"
)

// rolled returns who of 20,000 a rollout takes.
func rolled(t *testing.T, key feature.Key, r feature.Rollout) map[int]bool {
	t.Helper()
	f := feature.Snapshot{Key: key, Type: feature.Bool, Default: feature.Of(false), Enabled: true, Rules: []feature.Rule{{Rollout: &r}}}
	in := map[int]bool{}
	for i := range 20_000 {
		got, err := f.Decide(feature.Holdings{}, feature.Subject{User: fmt.Sprint("usr_", i)}, func(int) (bool, error) { return true, nil })
		if err != nil {
			t.Fatal(err)
		}
		if got.Value.On() {
			in[i] = true
		}
	}
	return in
}

// Anonymous callers are in a rollout to everybody, and in no other.
func TestRolloutToEverybody(t *testing.T) {
	t.Parallel()
	met := func(int) (bool, error) { return true, nil }
	for _, by := range []feature.By{"", feature.ByUser, feature.ByOrg} {
		for percent, want := range map[float64]bool{0: false, 50: false, 99.999: false, 100: true} {
			f := feature.Snapshot{
				Key: "new", Type: feature.Bool, Default: feature.Of(false), Enabled: true,
				Rules: []feature.Rule{{Rollout: &feature.Rollout{Percent: percent, By: by}}},
			}
			got, err := f.Decide(feature.Holdings{}, feature.Subject{}, met)
			if err != nil || got.Value != feature.Of(want) {
				t.Errorf("%v%% by %q gives anonymous callers %v, %v", percent, by, got, err)
			}
		}
	}
}

func TestRollout(t *testing.T) {
	t.Parallel()
	before := map[int]bool{}
	for _, percent := range []float64{0, 0.5, 10, 50, 99.999, 100} {
		now := rolled(t, "new", feature.Rollout{Percent: percent})
		for i := range before {
			if !now[i] {
				t.Errorf("%d is in before %v%%, and then not", i, percent)
			}
		}
		if share := float64(len(now)) / 200; math.Abs(share-percent) > 1 {
			t.Errorf("%v%% takes %v%%", percent, share)
		}
		before = now
	}
	both, first, second := 0, rolled(t, "a", feature.Rollout{Percent: 50}), rolled(t, "b", feature.Rollout{Percent: 50})
	for i := range first {
		if second[i] {
			both++
		}
	}
	if both < 4500 || both > 5500 {
		t.Errorf("two features share %d of 10,000: their lots are not drawn apart", both)
	}
	salted := rolled(t, "b", feature.Rollout{Percent: 50, Salt: "a"})
	for i := range first {
		if !salted[i] {
			t.Fatalf("%d is in by its key, and not by the same text as salt", i)
		}
	}
	// The lots must never change: who was in would be out.
	if few := fmt.Sprint(rolled(t, "pinned", feature.Rollout{Percent: 0.03})); few != "map[1076:true 3711:true 4412:true 10784:true 18416:true]" {
		t.Errorf("0.03%% of a pinned key takes %s", few)
	}
}

func TestValuesOfLicensesAdd(t *testing.T) {
	t.Parallel()
	owned := feature.OwnedValues{}
	owned.Add(feature.Values{"pdf": false, "seats": 3.0, "tier": "new"})
	owned.Add(feature.Values{"pdf": true, "seats": 2.0, "tier": "old", "sso": "text"})
	owned.Add(feature.Values{"pdf": false, "seats": true})
	for key, want := range map[feature.Key]any{"pdf": true, "seats": int64(3), "tier": "new", "sso": "text"} {
		if got := owned[key].Plain(); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}

func TestDefineRefuses(t *testing.T) {
	t.Parallel()
	_, err := feature.Define(feature.Snapshot{Key: "a", Type: feature.Int, Default: feature.Of("1"), Rules: []feature.Rule{{}, {Value: feature.Of(true)}}}, time.Now())
	if err == nil {
		t.Error("Define() takes values of other types")
	}
}
