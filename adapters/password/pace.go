package password

import (
	"sync"
	"time"
)

// times are those of one turn: that of today's hash, and of another form beside it.
type times struct{ today, other time.Duration }

// pace knows how long each form of hash takes, in running times of today's hash in the
// same turn: both are slow at once where the machine is busy. It rises at once and falls
// slowly, so that the slowest form seldom takes longer than what it says.
type pace struct {
	mu    sync.Mutex
	ratio map[string]float64
}

// falls is which part of the way down is gone with each turn.
const falls = 8

// learn takes a turn into account.
func (p *pace) learn(form string, took times) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ratio == nil {
		p.ratio = map[string]float64{}
	}
	ratio := float64(took.other) / float64(max(took.today, 1))
	if before := p.ratio[form]; ratio < before {
		ratio = before - (before-ratio)/falls
	}
	p.ratio[form] = ratio
}

// knows reports whether a form was compared since the start.
func (p *pace) knows(form string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.ratio[form]
	return known
}

// longest bounds how long an answer waits for the slowest form. A turn that seems to take
// longer was interrupted: on a machine that is overloaded, every sign-in would wait for it.
const longest = 3 * time.Second

// slowest is how long the slowest of these forms takes, in a turn in which today's hash
// takes so long; at most longest.
func (p *pace) slowest(forms []string, today time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	ratio := 0.0
	for _, form := range forms {
		ratio = max(ratio, p.ratio[form])
	}
	return time.Duration(min(ratio*float64(today), float64(longest)))
}

// timed is how long work takes, by a clock that nobody sets.
func timed(work func()) time.Duration {
	began := time.Now() //nolint:forbidigo // see above
	work()
	return time.Since(began) //nolint:forbidigo // see above
}
