// Package counting judges the rate limits of requests that wait together. It is for
// stores that read counters, let them count here, and write them where nobody has
// changed them meanwhile.
package counting

import (
	"cmp"
	"slices"
	"time"

	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// Counter is the state of one limit for one subject while a batch counts.
type Counter[B any] struct {
	Key string
	// Base is by what the store knows the state that it read: its version, or itself.
	Base  B
	State []byte
	// Expires is when the state is worth nothing; unset while nothing was counted.
	Expires time.Time
}

// Counters are those of one batch, at one moment.
type Counters[B any] struct {
	Now   time.Time
	ByKey map[string]*Counter[B]
	// Whole reports whether they must be written all or none, because an ask counted at
	// several of them.
	Whole bool
}

// Judge passes an ask and counts it at all of its checks, or refuses it and
// counts it at none. Verdicts of a refused ask tell what stands without it.
func (c *Counters[B]) Judge(checks []outbound.LimitCheck) []limit.Verdict {
	if len(checks) == 0 {
		return nil
	}
	verdicts, before := make([]limit.Verdict, len(checks)), make([][]byte, len(checks))
	for i, check := range checks {
		counted := c.ByKey[check.Key]
		before[i] = counted.State
		counted.State, verdicts[i] = check.Rule.Admit(counted.State, c.Now)
		if verdicts[i].Allowed {
			continue
		}
		for j := i; j >= 0; j-- {
			c.ByKey[checks[j].Key].State = before[j]
		}
		for j, other := range checks {
			if j != i {
				verdicts[j] = other.Rule.Peek(c.ByKey[other.Key].State, c.Now)
			}
		}
		return verdicts
	}
	for _, check := range checks {
		counted := c.ByKey[check.Key]
		if expires := Expiry(check.Rule, c.Now); expires.After(counted.Expires) {
			counted.Expires = expires
		}
		c.Whole = c.Whole || len(checks) > 1
	}
	return verdicts
}

// Changed returns the counters that counted something, by key: batches that write
// the same counters in the same order wait for each other and do not deadlock.
func (c *Counters[B]) Changed() []*Counter[B] {
	var changed []*Counter[B]
	for _, one := range c.ByKey {
		if !one.Expires.IsZero() {
			changed = append(changed, one)
		}
	}
	slices.SortFunc(changed, func(a, b *Counter[B]) int { return cmp.Compare(a.Key, b.Key) })
	return changed
}

// Expiry returns from when on a counter that counts now is worth nothing. It is
// rounded up to whole windows: PostgreSQL need not touch an index as long as a
// counter is written with the same expiry.
func Expiry(rule limit.Rule, now time.Time) time.Time {
	expires := rule.Expiry(now)
	rounded := expires.Truncate(rule.Window)
	if rounded.Before(expires) {
		rounded = rounded.Add(rule.Window)
	}
	return rounded
}

// Due returns the limits that an ask counts at, given the revision of the
// configuration: none where that is later than the limits. What is proven counts apart
// from what is not, so that nobody uses up the limits of whom they name.
func Due(ask outbound.AdmissionAsk, revision int64, proven bool) []outbound.LimitCheck {
	switch {
	case ask.Revision != 0 && ask.Revision < revision:
		return nil
	case proven:
		return ask.Checks
	default:
		return ask.Failed
	}
}

// Proven reports whether an answer bears out what an ask presents.
func Proven(ask outbound.AdmissionAsk, answer outbound.AdmissionAnswer) bool {
	return (ask.Key == "" || answer.Key != nil) && (ask.Proven == nil || ask.Proven(answer))
}
