package license

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
)

// Bounds of terms.
const (
	maxMeters     = 20
	maxMeterName  = 64
	maxMeterLimit = 1 << 50
	day           = 24 * time.Hour
)

// Start is when the days of a license begin.
type Start string

// The starts.
const (
	AtIssue      Start = "issue"
	AtActivation Start = "activation"
)

// Expiry is what happens at the end of a license.
type Expiry string

// What follows an end.
const (
	Deny  Expiry = "deny"
	Grace Expiry = "grace"
	Allow Expiry = "allow"
)

// Overage is by how much machines and seats may exceed their limit.
type Overage string

// The overages.
const (
	NoOverage  Overage = "none"
	Quarter    Overage = "1.25"
	Half       Overage = "1.5"
	AnyOverage Overage = "unlimited"
)

// Period is how long the uses of a meter are summed.
type Period string

// The periods: of the calendar in UTC, or all the life of the license.
const (
	Daily    Period = "day"
	Monthly  Period = "month"
	Lifetime Period = "lifetime"
)

// Meter bounds how often something is used.
type Meter struct {
	Limit   int64  `json:"limit" doc:"Usage limit per period." jsonschema:"minimum=0,maximum=1125899906842624"`
	Period  Period `json:"period" doc:"Period over which usage is added up: a UTC day, a UTC month, or the life of the license." jsonschema:"enum=day,enum=month,enum=lifetime"`
	OnLimit Expiry `json:"on_limit" doc:"Whether usage over the limit is rejected (deny) or still counted (allow)." jsonschema:"enum=deny,enum=allow"`
}

// Terms are the terms of a license. A zero limit means unlimited.
type Terms struct {
	// DurationDays is how long the license holds; 0 is for ever.
	DurationDays int   `json:"duration_days"`
	Starts       Start `json:"starts"`
	Seats        int   `json:"seats"`
	MaxMachines  int   `json:"max_machines"`
	// MachineBound licenses are valid on activated machines alone.
	MachineBound bool `json:"machine_bound"`
	// Floating seats are leased; else they are given to people by name.
	Floating bool `json:"floating"`
	// OfflineDays is how long a license file holds; 0 is no files.
	OfflineDays int `json:"offline_days"`
	// HeartbeatMinutes is after how long a silent machine lapses; 0 is never.
	HeartbeatMinutes int              `json:"heartbeat_minutes"`
	Features         feature.Values   `json:"features,omitempty"`
	Meters           map[string]Meter `json:"meters,omitempty"`
	OnExpiry         Expiry           `json:"on_expiry"`
	GraceDays        int              `json:"grace_days"`
	TransfersPerYear int              `json:"transfers_per_year"`
	Overage          Overage          `json:"overage"`
}

// Plain returns the terms of a license that is issued from no policy.
func Plain() Terms {
	const monthly = 12
	return Terms{Starts: AtIssue, OnExpiry: Deny, TransfersPerYear: monthly, Overage: NoOverage}
}

var meterForm = regexp.MustCompile(`^[a-z][a-z0-9_.-]*$`)

// Check fails with a validation fault that names every term which is out of bounds.
func (t Terms) Check() error {
	if err := t.Features.Check("/features"); err != nil {
		return err
	}
	if len(t.Meters) > maxMeters {
		return fault.Unfit("/meters", fmt.Sprintf("must have at most %d keys", maxMeters))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Meters)) {
		if m := t.Meters[name]; len(name) > maxMeterName || !meterForm.MatchString(name) || m.Limit < 0 || m.Limit > maxMeterLimit {
			return fault.Unfit("/meters"+fault.Pointer(name),
				"must be named by a lower-case letter followed by up to 63 of a-z, 0-9, '_', '.' and '-', with a limit from 0 to 2^50")
		}
	}
	if t.OnExpiry == Grace && t.GraceDays == 0 {
		return fault.Unfit("/grace_days", "must be at least 1 if on_expiry is grace")
	}
	return nil
}

// end returns when a license of these terms that started then is over; zero for never.
func (t Terms) end(started time.Time) time.Time {
	if t.DurationDays == 0 || started.IsZero() {
		return time.Time{}
	}
	return started.Add(time.Duration(t.DurationDays) * day)
}

// most is how many of something may be there under a limit; -1 is any number.
func (t Terms) most(limit int) int {
	if limit == 0 {
		return -1
	}
	switch t.Overage {
	case AnyOverage:
		return -1
	case Quarter:
		return limit + limit/4 //nolint:mnd // a quarter
	case Half:
		return limit + limit/2 //nolint:mnd // a half
	default:
		return limit
	}
}

// MostMachines is how many machines may be active at once; -1 is any number.
func (t Terms) MostMachines() int { return t.most(t.MaxMachines) }

// MostSeats is how many seats may be taken at once; -1 is any number.
func (t Terms) MostSeats() int { return t.most(t.Seats) }

// Room reports whether one more fits where so many are there; most is that of Terms.
func Room(there, most int) bool { return most < 0 || there < most }

// fields returns the terms by their names, to be compared and copied.
func (t *Terms) fields() map[string]any {
	return map[string]any{
		"duration_days": &t.DurationDays, "starts": &t.Starts, "seats": &t.Seats, "max_machines": &t.MaxMachines,
		"machine_bound": &t.MachineBound, "floating": &t.Floating, "offline_days": &t.OfflineDays,
		"heartbeat_minutes": &t.HeartbeatMinutes, "features": &t.Features, "meters": &t.Meters, "on_expiry": &t.OnExpiry,
		"grace_days": &t.GraceDays, "transfers_per_year": &t.TransfersPerYear, "overage": &t.Overage,
	}
}

// put takes over each term of others that is another one, but for those kept, and
// returns the names of those that it changed.
func (t *Terms) put(others Terms, kept []string) []string {
	var changed []string
	theirs := others.fields()
	for name, own := range t.fields() {
		into, from := reflect.ValueOf(own).Elem(), reflect.ValueOf(theirs[name]).Elem()
		if slices.Contains(kept, name) || same(into, from) {
			continue
		}
		into.Set(from)
		changed = append(changed, name)
	}
	slices.Sort(changed)
	return changed
}

// same reports whether two terms are alike; no map is like an empty one.
func same(a, b reflect.Value) bool {
	if a.Kind() == reflect.Map && a.Len() == 0 {
		return b.Len() == 0
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
