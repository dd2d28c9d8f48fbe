package client

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gatehouse.internal/ports/outbound/crypt"
)

const (
	// keptKeys is how long fetched keys are used, doubtedKeys how old they must be to
	// be fetched anew because none of them fits.
	keptKeys    = 5 * time.Minute
	doubtedKeys = time.Minute
	// failedKeys is how long an address that gave none is left alone.
	failedKeys = 30 * time.Second
	// fetchedMost bounds how many addresses are remembered.
	fetchedMost = 1000
)

// fetchedKeys remembers the keys that apps publish, by their address. They are no
// state of this service: a key that an app takes back is used here for at most as
// long as its own cache would be.
type fetchedKeys struct {
	mu sync.Mutex
	by map[string]*keyFetch
}

// keyFetch is one fetch; done is closed once the rest is set.
type keyFetch struct {
	begun time.Time
	done  chan struct{}
	keys  []crypt.PublicKey
	err   error
}

// usable reports whether a completed or running fetch is recent enough.
func (f *keyFetch) usable(age time.Duration, now time.Time) bool {
	select {
	case <-f.done:
		if f.err != nil {
			age = failedKeys
		}
		return now.Sub(f.begun) < age
	default:
		return true
	}
}

// keys returns the keys at an address, at most as old as age. Concurrent callers share
// a fetch, which continues if the first of them goes away.
func (a *Authenticator) keys(ctx context.Context, url string, age time.Duration) (*keyFetch, error) {
	f := a.fetched.take(url, age, a.Clock.Now(), func(f *keyFetch) {
		go a.fetch(context.WithoutCancel(ctx), url, f)
	})
	select {
	case <-f.done:
		return f, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take returns a fetch that is usable, or begins one.
func (k *fetchedKeys) take(url string, age time.Duration, now time.Time, begin func(*keyFetch)) *keyFetch {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f, known := k.by[url]; known && f.usable(age, now) {
		return f
	}
	if k.by == nil || len(k.by) >= fetchedMost {
		k.by = map[string]*keyFetch{}
	}
	f := &keyFetch{begun: now, done: make(chan struct{})}
	k.by[url] = f
	begin(f)
	return f
}

// fetch fills a fetch, whatever becomes of it.
func (a *Authenticator) fetch(ctx context.Context, url string, f *keyFetch) {
	defer close(f.done)
	defer func() {
		if p := recover(); p != nil {
			f.err = fmt.Errorf("the fetch panicked: %v", p)
		}
	}()
	raw, err := a.Fetcher.Fetch(ctx, url)
	if err != nil {
		f.err = fmt.Errorf("fetch a JWK Set: %w", err)
		return
	}
	if f.keys, err = a.JWKS.ReadPublicSet(raw); err != nil {
		f.err = fmt.Errorf("read a JWK Set: %w", err)
	}
}
