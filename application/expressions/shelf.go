package expressions

import (
	"container/list"
	"sync"

	"gatehouse.internal/domain/workspace"
)

// room is the memory limit of the cache, in bytes: some 10,000 typical expressions.
const room = 64 << 20

// expressionCache caches compiled expressions. Its zero value is empty.
type expressionCache struct {
	// room takes the place of the constant, for tests.
	room int

	guard   sync.Mutex
	entries map[key]*list.Element
	holders map[workspace.ID]*holder
	held    int
}

// holder is a workspace and its entries.
type holder struct {
	// used holds *entry values, the last used first.
	used list.List
	held int
}

type entry struct {
	compiled

	key  key
	size int
}

// find returns the compiled form of an expression.
func (s *expressionCache) find(of key) (compiled, bool) {
	s.guard.Lock()
	defer s.guard.Unlock()
	at, known := s.entries[of]
	if !known {
		return compiled{}, false
	}
	s.holders[of.org].used.MoveToFront(at)
	return entryAt(at).compiled, true
}

// keep caches an expression, and evicts others if needed.
func (s *expressionCache) keep(of key, made compiled) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.entries == nil {
		s.entries, s.holders = map[key]*list.Element{}, map[workspace.ID]*holder{}
	}
	if at, known := s.entries[of]; known {
		s.drop(at)
	}
	by := s.holders[of.org]
	if by == nil {
		by = &holder{}
		s.holders[of.org] = by
	}
	one := &entry{made, of, made.size(of)}
	s.entries[of] = by.used.PushFront(one)
	by.held += one.size
	s.held += one.size
	most := s.room
	if most == 0 {
		most = room
	}
	for s.held > most {
		s.drop(s.largest().used.Back())
	}
}

// largest returns the workspace that holds most.
func (s *expressionCache) largest() *holder {
	var largest *holder
	for _, one := range s.holders {
		if largest == nil || one.held > largest.held {
			largest = one
		}
	}
	return largest
}

func (s *expressionCache) drop(at *list.Element) {
	old := entryAt(at)
	by := s.holders[old.key.org]
	by.used.Remove(at)
	by.held -= old.size
	s.held -= old.size
	delete(s.entries, old.key)
	if by.used.Len() == 0 {
		delete(s.holders, old.key.org)
	}
}

func entryAt(at *list.Element) *entry {
	one, _ := at.Value.(*entry)
	return one
}
