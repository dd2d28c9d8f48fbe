package sqlstore

import (
	"sync"
	"time"

	"gatehouse.internal/domain/resource"
	"gatehouse.internal/ports/outbound"
)

const (
	// mostRemembered bounds how many things of a kind are remembered.
	mostRemembered = 10_000
	// aloneFor is how often in a row nobody else must have written a counter for it to
	// be worth presuming. Replicas that share a counter soon stop presuming it.
	aloneFor = 3
)

// memory is what presumptions are made of: clients and counters as this process
// read or wrote them last. Nothing in it decides: each statement that relies on it
// names the versions, and writes nothing where the store has others. It learns only
// what a presumption missed.
type memory struct {
	// turn is held while counters that are presumed are judged and written.
	turn sync.Mutex

	mu        sync.Mutex
	clients   map[string]outbound.Client
	audiences map[string]*resource.Audience
	counters  map[string]remembered
}

// remembered is a counter, which one who missed it has without a version.
type remembered struct {
	version int64
	state   []byte
	// expires is from when on it may have been removed.
	expires time.Time
	// alone is how often in a row nobody else wrote it.
	alone int
}

func newMemory() *memory {
	return &memory{
		clients: map[string]outbound.Client{}, audiences: map[string]*resource.Audience{}, counters: map[string]remembered{},
	}
}

// client returns the client of an ask, with the audience that it asks for, if any.
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

// bearsOut reports whether what is remembered proves what an ask presents. The counters
// of an API key are named by its text: they are remembered of one that there was.
func (m *memory) bearsOut(ask outbound.AdmissionAsk) bool {
	if ask.Proven == nil {
		return true
	}
	found, known := m.client(ask)
	return known && ask.Proven(outbound.AdmissionAnswer{Client: &found})
}

// meet remembers what was found for an ask; nil when there is no such client.
func (m *memory) meet(ask outbound.AdmissionAsk, found *outbound.Client) {
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

// alone reports whether nobody else writes the counters of some checks.
func (m *memory) alone(checks []outbound.LimitCheck, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	alone := true
	for _, check := range checks {
		one, known := m.counters[check.Key]
		if !known {
			put(m.counters, check.Key, remembered{})
		}
		alone = alone && one.alone >= aloneFor && now.Before(one.expires)
	}
	return alone
}

// admit reports whether checks have room, as far as is known.
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

// recall returns the counters of asks as a batch judges them.
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

// wrote remembers counters that were written over their bases, the versions beside
// them being those they have now.
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

// doubt presumes counters no more until this process has been alone with them again.
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

// put remembers one thing more, and forgets any other when there are too many.
func put[V any](into map[string]V, key string, value V) {
	if _, known := into[key]; !known && len(into) >= mostRemembered {
		for other := range into {
			delete(into, other)
			break
		}
	}
	into[key] = value
}
