package sqlstore

import (
	"slices"
	"sync"
	"time"

	"gatehouse.internal/domain/resource"
	"gatehouse.internal/ports/outbound"
)

const (
	// mostRemembered bounds the number of entries of each kind.
	mostRemembered = 10_000
	// aloneFor is how many times in a row this process must have been the only one to write a
	// counter before it relies on its memory of it. A counter that replicas share is soon not
	// relied on.
	aloneFor = 3
)

// memory holds clients and counters as this process last read or wrote them. It decides
// nothing: every statement that relies on it names the versions, and writes nothing if the
// store has others.
type memory struct {
	// turn is held while counters are judged from memory and written.
	turn sync.Mutex

	mu        sync.Mutex
	clients   map[string]outbound.Client
	audiences map[string]*resource.Audience
	counters  map[string]remembered
}

// remembered is a counter as it was last seen; without a version if it was missing from the
// memory.
type remembered struct {
	version int64
	state   []byte
	// expires is when the counter may be removed from the store.
	expires time.Time
	// alone is how many times in a row only this process wrote it.
	alone int
}

func newMemory() *memory {
	return &memory{
		clients: map[string]outbound.Client{}, audiences: map[string]*resource.Audience{}, counters: map[string]remembered{},
	}
}

// client returns the client of an ask from memory, with the audience that it asks for, if any.
func (m *memory) client(ask outbound.AdmissionAsk) (outbound.Client, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, known := m.clients[ask.Client]
	found.Recalled = true
	target := ask.Target()
	if target == "" {
		return found, known
	}
	var held bool
	found.Audience, held = m.audiences[target]
	return found, known && held
}

// confirms reports whether the memory confirms what an ask presents. The counters of an API
// key are named by its digest, so they are only remembered for keys that exist.
func (m *memory) confirms(ask outbound.AdmissionAsk) bool {
	if ask.Proven == nil {
		return true
	}
	found, known := m.client(ask)
	return known && ask.Proven(outbound.AdmissionAnswer{Client: &found})
}

// rememberClient remembers the client that was found for an ask; nil if there is none.
func (m *memory) rememberClient(ask outbound.AdmissionAsk, found *outbound.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found == nil {
		delete(m.clients, ask.Client)
		return
	}
	if found.Audience == nil {
		delete(m.audiences, ask.Target())
	} else {
		put(m.audiences, ask.Target(), found.Audience)
	}
	client := *found
	client.Audience = nil
	put(m.clients, ask.Client, client)
}

// alone reports whether this process is the only one to write the counters of some checks.
func (m *memory) alone(checks []outbound.LimitCheck, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expect(checks)
	return !slices.ContainsFunc(checks, func(check outbound.LimitCheck) bool {
		one := m.counters[check.Key]
		return one.alone < aloneFor || !now.Before(one.expires)
	})
}

// follow has the counters of some checks remembered when they are written next.
func (m *memory) follow(checks []outbound.LimitCheck) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expect(checks)
}

func (m *memory) expect(checks []outbound.LimitCheck) {
	for _, check := range checks {
		if _, known := m.counters[check.Key]; !known {
			put(m.counters, check.Key, remembered{})
		}
	}
}

// admit reports whether the limits admit the checks, as far as the memory knows.
func (m *memory) admit(checks []outbound.LimitCheck, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, check := range checks {
		if !check.Rule.Peek(m.counters[check.Key].state, now).Allowed {
			return false
		}
	}
	return true
}

// recall returns the counters of asks from memory, to be judged as a batch.
func (m *memory) recall(asks []outbound.AdmissionAsk, now time.Time) *counters {
	m.mu.Lock()
	defer m.mu.Unlock()
	judged := &counters{Now: now, ByKey: map[string]*counter{}}
	for _, ask := range asks {
		for _, check := range ask.Checks {
			if judged.ByKey[check.Key] == nil {
				one := m.counters[check.Key]
				judged.ByKey[check.Key] = &counter{Key: check.Key, Base: one.version, State: one.state}
			}
		}
	}
	return judged
}

// wrote remembers counters that were written, at their new versions.
func (m *memory) wrote(changed []*counter, versions []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, one := range changed {
		known, wanted := m.counters[one.Key]
		if !wanted {
			continue
		}
		alone := 0
		if known.version == one.Base {
			alone = known.alone + 1
		}
		m.counters[one.Key] = remembered{version: versions[i], state: one.State, expires: one.Expires, alone: alone}
	}
}

// doubt stops relying on counters until this process has been alone with them again.
func (m *memory) doubt(changed []*counter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range changed {
		if known, wanted := m.counters[one.Key]; wanted {
			known.alone = 0
			m.counters[one.Key] = known
		}
	}
}

// put adds an entry, and evicts an arbitrary other one if there are too many.
func put[V any](into map[string]V, key string, value V) {
	if _, known := into[key]; !known && len(into) >= mostRemembered {
		for other := range into {
			delete(into, other)
			break
		}
	}
	into[key] = value
}
