// Package cache keeps a bounded number of values that are expensive to compute.
package cache

import (
	"container/list"
	"sync"
)

// Cache caches values by their keys up to a total size and evicts the least recently used. It
// is for values that never become wrong, or that their user validates. It is safe for
// concurrent use, and its zero value is an empty cache.
type Cache[K comparable, V any] struct {
	mu   sync.Mutex
	by   map[K]*list.Element
	used list.List // of *entry[K, V], the last used first
	held int
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// Last returns the cached value of a key; false if there is none.
func (k *Cache[K, V]) Last(key K) (value V, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.by[key]
	if at == nil {
		return value, false
	}
	k.used.MoveToFront(at)
	one, _ := at.Value.(*entry[K, V])
	return one.value, true
}

// Keep caches a value of the given size in place of an earlier one under the same key.
func (k *Cache[K, V]) Keep(key K, value V, size, room int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(key)
	if k.by == nil {
		k.by = map[K]*list.Element{}
	}
	k.by[key] = k.used.PushFront(&entry[K, V]{key, value, size})
	for k.held += size; k.held > room; {
		oldest, _ := k.used.Back().Value.(*entry[K, V])
		k.drop(oldest.key)
	}
}

// Forget removes a key.
func (k *Cache[K, V]) Forget(key K) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(key)
}

func (k *Cache[K, V]) drop(key K) {
	if at := k.by[key]; at != nil {
		old, _ := k.used.Remove(at).(*entry[K, V])
		delete(k.by, key)
		k.held -= old.size
	}
}
