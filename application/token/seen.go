package token

import (
	"crypto/sha256"
	"sync"
)

// seenLimit is how many tokens each generation remembers: about 1 KiB each.
const seenLimit = 8192

// Seen remembers tokens whose signature was verified, by their digest, so that a
// token in use costs one signature check and not one per request. What it holds
// cannot turn wrong: a signature stays right, and whether its key, session and
// time still hold is asked anew each time. Two generations bound its size: when
// the young one is full the old one is dropped.
type Seen struct {
	mu    sync.RWMutex
	young map[[sha256.Size]byte]Presented
	old   map[[sha256.Size]byte]Presented
}

func (s *Seen) get(digest [sha256.Size]byte) (Presented, bool) {
	s.mu.RLock()
	found, ok := s.young[digest]
	stale := false
	if !ok {
		found, stale = s.old[digest]
	}
	s.mu.RUnlock()
	if stale {
		s.put(digest, found)
	}
	return found, ok || stale
}

func (s *Seen) put(digest [sha256.Size]byte, presented Presented) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young == nil || len(s.young) >= seenLimit {
		s.old, s.young = s.young, make(map[[sha256.Size]byte]Presented)
	}
	s.young[digest] = presented
}
