package schema

import "sync"

// memo caches the values computed for keys. The zero value is ready to use.
type memo[K comparable, V any] struct{ all sync.Map }

// of returns the value for a key. Concurrent callers wait while it is computed.
func (r *memo[K, V]) of(key K, derive func(K) (V, error)) (V, error) {
	made, earlier := r.all.Load(key)
	if !earlier {
		made, _ = r.all.LoadOrStore(key, sync.OnceValues(func() (V, error) { return derive(key) }))
	}
	return made.(func() (V, error))() //nolint:forcetypeassert // nothing else is stored
}
