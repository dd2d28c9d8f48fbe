package registration

import (
	"sync"
	"time"

	"gatehouse.internal/domain/app"
)

const (
	// keptMost bounds how many descriptions are remembered.
	keptMost = 1000
	// fetchesMost is the maximum number of fetches for unknown addresses in a minute,
	// since clients choose the addresses.
	fetchesMost = 300
)

// documentCache caches documents by address, for as long as their headers permit.
type documentCache struct {
	mu sync.Mutex
	// by holds the descriptions that were fetched successfully, under those being fetched.
	by, under map[string]*description
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

// find returns a description that is valid at a time or is being fetched, nil if there is
// none. It reports whether the address is known: its last fetch succeeded.
func (k *documentCache) find(address string, now time.Time) (one *description, isKnown bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.usable(address, now), k.by[address] != nil
}

func (k *documentCache) usable(address string, now time.Time) *description {
	if one := k.under[address]; one != nil {
		return one
	}
	if one := k.by[address]; one != nil && now.Before(one.until) {
		return one
	}
	return nil
}

// take returns a description that is usable, or begins to fetch one. For addresses that are
// not known, it fails with errTooFast if too many were fetched.
func (k *documentCache) take(address string, now time.Time, isKnown bool, begin func(*description)) (*description, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if one := k.usable(address, now); one != nil {
		return one, nil
	}
	if !isKnown {
		if now.Sub(k.minute) >= time.Minute {
			k.minute, k.fetches = now, 0
		}
		if k.fetches++; k.fetches > fetchesMost {
			return nil, tooFast(time.Minute)
		}
	}
	one := &description{done: make(chan struct{})}
	if k.under == nil {
		k.under, k.by = map[string]*description{}, map[string]*description{}
	}
	k.under[address] = one
	begin(one)
	return one, nil
}

// settle keeps a description that was fetched; what failed is forgotten.
func (k *documentCache) settle(address string, one *description) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.under, address)
	if one.err != nil {
		delete(k.by, address)
		return
	}
	if k.by[address] == nil && len(k.by) >= keptMost {
		for other := range k.by {
			delete(k.by, other)
			break
		}
	}
	k.by[address] = one
}
