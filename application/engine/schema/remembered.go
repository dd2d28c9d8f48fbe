package schema

import "sync"

// remembered is what was made of keys, once for all who ask. The zero value is ready.
type remembered[K comparable, V any] struct{ all sync.Map }

// of returns what is made of a key; who asks meanwhile waits for it.
func (r *remembered[K, V]) of(key K, derive func(K) (V, error)) (V, error) {
	made, earlier := r.all.Load(key)
	if !earlier {
		made, _ = r.all.LoadOrStore(key, sync.OnceValues(func() (V, error) { return derive(key) }))
	}
	return made.(func() (V, error))() //nolint:forcetypeassert // nothing else is stored
}
