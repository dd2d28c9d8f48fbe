package cache

import (
	"context"
	"sync"
)

// Flights has callers that want the same thing made wait for the first of them. It is safe
// for concurrent use, and its zero value is ready for it.
type Flights[K comparable] struct {
	mu    sync.Mutex
	under map[K]chan struct{}
}

// Do calls work and reports true, or waits until the work of another caller for the same key
// has ended, with or without success. It fails with the context if that ends before.
func (f *Flights[K]) Do(ctx context.Context, key K, work func() error) (first bool, err error) {
	ended, flying := f.enter(key)
	if flying {
		select {
		case <-ended:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	defer f.leave(key, ended)
	return true, work()
}

func (f *Flights[K]) enter(key K) (ended chan struct{}, flying bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ended, flying = f.under[key]; flying {
		return ended, true
	}
	if f.under == nil {
		f.under = map[K]chan struct{}{}
	}
	ended = make(chan struct{})
	f.under[key] = ended
	return ended, false
}

func (f *Flights[K]) leave(key K, ended chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.under, key)
	close(ended)
}
