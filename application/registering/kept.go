package registering

import (
	"sync"
	"time"

	"gatehouse.internal/domain/app"
)

const (
	// keptMost bounds how many descriptions are remembered.
	keptMost = 1000
	// fetchesMost is the maximum number of fetches in a minute, since clients choose
	// the addresses.
	fetchesMost = 300
)

// kept caches documents by address, for as long as their headers permit.
type kept struct {
	mu sync.Mutex
	by map[string]*description
	// minute is when the present one began, fetches how many were begun in it.
	minute  time.Time
	fetches int
}

// description is one fetch; done is closed once the rest is set.
type description struct {
	done  chan struct{}
	as    app.Snapshot
	until time.Time
	err   error
}

// usable reports whether a description is valid at a time, or is being fetched. What failed is
// forgotten.
func (o *description) usable(now time.Time) bool {
	select {
	case <-o.done:
		return o.err == nil && now.Before(o.until)
	default:
		return true
	}
}

// take returns a description that is usable, or begins to fetch one. It fails with errTooFast.
func (k *kept) take(address string, now time.Time, begin func(*description)) (*description, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if one, known := k.by[address]; known && one.usable(now) {
		return one, nil
	}
	if now.Sub(k.minute) >= time.Minute {
		k.minute, k.fetches = now, 0
	}
	if k.fetches++; k.fetches > fetchesMost {
		return nil, errTooFast
	}
	if k.by == nil || len(k.by) >= keptMost {
		k.by = map[string]*description{}
	}
	one := &description{done: make(chan struct{})}
	k.by[address] = one
	begin(one)
	return one, nil
}
