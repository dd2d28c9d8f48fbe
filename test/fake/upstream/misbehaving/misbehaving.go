// Package misbehaving is how the payment processors of tests go wrong.
package misbehaving

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
)

// Switches make a server misbehave; the zero value behaves.
type Switches struct {
	mu     sync.Mutex
	cut    int
	after  bool
	then   func()
	calls  int
	status int
	wait   int
	times  int
	// changes leaves calls out that only read.
	changes bool
}

// CountChanges has Cut and Meet count only the calls that may change something.
func (s *Switches) CountChanges() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = true
}

// Cut breaks off all connections from a call on, the first is 1: before the calls have their
// effect, or after that. 0 behaves.
func (s *Switches) Cut(from int, after bool) { s.Meet(from, after, nil) }

// Meet is Cut for who wants to do something in the moment in which each of the calls would
// break off.
func (s *Switches) Meet(from int, after bool, then func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut, s.after, s.calls, s.then = from, after, 0, then
}

// Answer answers so many calls with a status, and Retry-After in seconds where that is not
// negative.
func (s *Switches) Answer(times, status, wait int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times, s.status, s.wait = times, status, wait
}

// Calls returns how many calls there were since Cut.
func (s *Switches) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// fate is what becomes of a call.
type fate struct {
	cut, after   bool
	then         func()
	status, wait int
}

func (s *Switches) next(method string) fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := !s.changes || method != http.MethodGet
	if counts {
		s.calls++
	}
	of := fate{cut: counts && s.cut > 0 && s.calls >= s.cut, after: s.after, then: s.then}
	if s.times > 0 {
		s.times--
		of.status, of.wait = s.status, s.wait
	}
	return of
}

// Around is a handler that misbehaves by the switches.
func (s *Switches) Around(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := s.next(r.Method)
		switch {
		case of.cut:
			if of.after {
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
			if of.then != nil {
				of.then()
			}
			panic(http.ErrAbortHandler)
		case of.status != 0:
			if of.wait >= 0 {
				w.Header().Set("Retry-After", strconv.Itoa(of.wait))
			}
			http.Error(w, `{"error":{"message":"not now","type":"api_error"}}`, of.status)
		default:
			handler.ServeHTTP(w, r)
		}
	})
}
