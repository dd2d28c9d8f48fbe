package license

import "time"

const (
	// UsesKept is how long the name of a use is known, so that it counts once.
	UsesKept = day
	// usageKept is how long usage is stored after its period.
	usageKept = 40 * day
	// maxUsed is where counters stop: JSON numbers are exact until there.
	maxUsed = 1 << 53
)

// Usage is how much of a meter was used in a period.
type Usage struct {
	Meter  string
	Period string
	Used   int64
	// Exceeded reports whether the event for exceeding the limit was raised.
	Exceeded bool
	// PurgeAt is when it is needed no more; zero for never.
	PurgeAt time.Time
}

// Spent reports whether a meter refuses further uses.
func (m Meter) Spent(used int64) bool { return m.OnLimit == Deny && used >= m.Limit }

// Left is how many uses remain.
func (m Meter) Left(used int64) int64 { return max(0, m.Limit-used) }

// Count counts uses of a meter, unless that refuses them: MeterExceeded. It reports whether
// the limit was passed for the first time in the period.
func (u *Usage) Count(m Meter, amount int64) (code Code, passed bool) {
	over := amount > m.Left(u.Used)
	passed = over && !u.Exceeded
	u.Exceeded = u.Exceeded || over
	if over && m.OnLimit == Deny {
		return MeterExceeded, passed
	}
	u.Used = min(u.Used+amount, maxUsed)
	return Valid, passed
}

// Label names the period of a meter that a time lies in; "" is the life of the license.
func (p Period) Label(at time.Time) string {
	switch p {
	case Daily:
		return at.UTC().Format(time.DateOnly)
	case Monthly:
		return at.UTC().Format("2006-01")
	default:
		return ""
	}
}

// PurgeAt returns when uses in the period that a time lies in are needed no more; zero for
// never.
func (p Period) PurgeAt(at time.Time) time.Time {
	if p == Lifetime {
		return time.Time{}
	}
	return at.Add(usageKept)
}

// Labels returns the names of all periods that a time lies in.
func Labels(at time.Time) [3]string {
	return [3]string{Daily.Label(at), Monthly.Label(at), Lifetime.Label(at)}
}

// Spent reports whether a meter rejects further uses; used is the usage of each in its
// period.
func (t Terms) Spent(used []Usage, now time.Time) bool {
	for name, m := range t.Meters {
		var so int64
		for _, u := range used {
			if u.Meter == name && u.Period == m.Period.Label(now) {
				so = u.Used
			}
		}
		if m.Spent(so) {
			return true
		}
	}
	return false
}
