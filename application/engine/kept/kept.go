// Package kept remembers what is costly to make again, as long as there is room.
package kept

import (
	"container/list"
	"sync"
)

// Kept holds values by their keys, up to a size in all; what was used longest ago goes
// first. It is for values that can never turn wrong, or whose user looks. It is safe for
// concurrent use. The zero value is empty.
type Kept[K comparable, V any] struct {
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

// Last returns what was kept last under a key; false for nothing.
func (k *Kept[K, V]) Last(key K) (value V, ok bool) {
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

// Keep keeps a value of a size in the place of what was kept under its key. All values
// have no more than room.
func (k *Kept[K, V]) Keep(key K, value V, size, room int) {
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

// Forget keeps nothing more under a key.
func (k *Kept[K, V]) Forget(key K) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(key)
}

func (k *Kept[K, V]) drop(key K) {
	if at := k.by[key]; at != nil {
		old, _ := k.used.Remove(at).(*entry[K, V])
		delete(k.by, key)
		k.held -= old.size
	}
}
