//go:build proof

package commands_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

const (
	// asked is how many known and how many unknown addresses are measured.
	asked = 1000
	// alikeWithin is how far apart their medians may be.
	alikeWithin = 0.05
)

// apart is by what share the medians of two series differ.
func apart(one, other []time.Duration) float64 {
	a, b := median(one), median(other)
	return math.Abs(float64(a-b)) / float64(min(a, b))
}

func TestProofMediansThatDifferAreFound(t *testing.T) {
	t.Parallel()
	var one, near, far []time.Duration
	for i := range asked {
		noise := time.Duration(i%100) * time.Microsecond
		one = append(one, time.Millisecond+noise)
		near = append(near, time.Millisecond+noise+40*time.Microsecond)
		far = append(far, time.Millisecond+noise+90*time.Microsecond)
	}
	if got := apart(one, near); got > alikeWithin {
		t.Errorf("apart() = %.3f of medians that are near", got)
	}
	for _, got := range []float64{apart(one, far), apart(far, one)} {
		if got <= alikeWithin {
			t.Errorf("apart() = %.3f of medians that are not", got)
		}
	}
}

// AUTH.FORGOT_PASSWORD takes as long for an address that has an account as for one
// that has none. It is not side by side with other tests, which would make the clock
// useless.
func TestProofForgottenPasswordsTakeTheSameTime(t *testing.T) {
	for _, on := range []instance.Store{instance.SQLite(), instance.Postgres()} {
		t.Run(on.Name, func(t *testing.T) {
			here := instance.Open(t, instance.Store{Name: on.Name, Replicas: 1, Database: on.Database}).First()
			admin := here.Admin()
			users := make([]P, asked)
			for i := range users {
				users[i] = P{"email": known(i)}
			}
			here.As(admin, "USER.BULK_IMPORT", P{"users": users}).OK()
			best := math.Inf(1)
			for range instance.Series { // As many as the limit of an address admits.
				if best = min(best, forget(here, t)); best <= alikeWithin {
					return
				}
			}
			t.Errorf("the medians of %d known and %d unknown addresses are %.1f %% apart at best", asked, asked, best*100)
		})
	}
}

func known(i int) string { return fmt.Sprintf("known-%d@example.com", i) }

// forget asks for a mail to known and unknown addresses in turn, so that what else
// the machine does falls on both, and returns how far their medians are apart.
func forget(r *instance.Replica, t *testing.T) float64 {
	t.Helper()
	var had, none []time.Duration
	for i := range asked {
		pair := []struct {
			email string
			took  *[]time.Duration
		}{{known(i), &had}, {fmt.Sprintf("other-%d@example.com", i), &none}}
		if i%2 == 1 { // Each comes after its like as often as after the other.
			slices.Reverse(pair)
		}
		for _, one := range pair {
			begin := time.Now()
			r.Do(instance.Call{Command: "AUTH.FORGOT_PASSWORD", Params: P{"email": one.email}}).OK()
			*one.took = append(*one.took, time.Since(begin))
		}
	}
	t.Logf("median of known %v, of unknown %v", median(had), median(none))
	return apart(had, none)
}

// timed is how many refusals of each sort are measured.
const timed = 60

// Not side by side with other tests, which would make the clock useless; with
// hashes that cost what they cost in production.
func TestProofRefusalsTakeTheSameTime(t *testing.T) {
	for _, on := range []instance.Store{instance.SQLite(), instance.Postgres()} {
		t.Run(on.Name, func(t *testing.T) {
			here := instance.Open(t, instance.Store{Name: on.Name, Replicas: 1, Database: on.Database}, "ARGON2_MEMORY_KIB=19456", "ARGON2_TIME=2").First()
			for try := 1; ; try++ {
				medians, alike := timeRefusals(here)
				t.Logf("series %d: %v", try, medians)
				if alike {
					return
				}
				if try == instance.Series {
					t.Fatalf("in all of %d series the medians differ by more than 20 %%, at last: %v", instance.Series, medians)
				}
			}
		})
	}
}

// timeRefusals takes the median times in which logins into unknown, known and
// locked accounts are refused, and reports whether all are within 20 % of that of
// unknown ones.
func timeRefusals(r *instance.Replica) (medians map[string]time.Duration, alike bool) {
	r.T.Helper()
	var known []instance.Person
	for range timed/9 + 1 { // nine wrong passwords lock nobody
		known = append(known, r.SignUp())
	}
	locked := r.SignUp()
	for range 10 {
		r.Do(wrong(locked)).Fails("AUTH_ERROR")
	}
	took := map[string][]time.Duration{}
	measure := func(what string, c instance.Call) {
		began := time.Now()
		r.Do(c).Fails("AUTH_ERROR")
		took[what] = append(took[what], time.Since(began))
	}
	for i := range timed {
		measure("unknown", wrong(instance.Newcomer()))
		measure("known", wrong(known[i%len(known)]))
		measure("locked", instance.Login(locked))
	}
	medians, alike = map[string]time.Duration{}, true
	unknown := median(took["unknown"])
	for what, times := range took {
		medians[what] = median(times)
		alike = alike && medians[what] >= unknown*8/10 && medians[what] <= unknown*12/10
	}
	return medians, alike
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
