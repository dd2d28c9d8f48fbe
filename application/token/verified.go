package token

import (
	"crypto/sha256"
	"sync"
)

// verifiedLimit is how many tokens each generation remembers: about 1 KiB each.
const verifiedLimit = 8192

// VerifiedTokens caches tokens with verified signatures, by digest, so that a token in use costs
// one signature check instead of one for each request. Entries cannot become wrong: a
// signature stays valid, and its key, session and expiry are checked each time. Two
// generations limit its size: when the young one is full the old one is dropped.
type VerifiedTokens struct {
	mu    sync.RWMutex
	young map[[sha256.Size]byte]VerifiedToken
	old   map[[sha256.Size]byte]VerifiedToken
}

func (s *VerifiedTokens) get(digest [sha256.Size]byte) (VerifiedToken, bool) {
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

func (s *VerifiedTokens) put(digest [sha256.Size]byte, presented VerifiedToken) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young == nil || len(s.young) >= verifiedLimit {
		s.old, s.young = s.young, make(map[[sha256.Size]byte]VerifiedToken)
	}
	s.young[digest] = presented
}
