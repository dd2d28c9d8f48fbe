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
	calls  int
	status int
	wait   int
	times  int
}

// Cut breaks off all connections from a call on, the first is 1: before the calls have their
// effect, or after that. 0 behaves.
func (s *Switches) Cut(from int, after bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut, s.after, s.calls = from, after, 0
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

func (s *Switches) next() (cut, after bool, status, wait int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.times > 0 {
		s.times--
		status, wait = s.status, s.wait
	}
	return s.cut > 0 && s.calls >= s.cut, s.after, status, wait
}

// Around is a handler that misbehaves by the switches.
func (s *Switches) Around(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cut, after, status, wait := s.next()
		switch {
		case cut:
			if after {
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
			panic(http.ErrAbortHandler)
		case status != 0:
			if wait >= 0 {
				w.Header().Set("Retry-After", strconv.Itoa(wait))
			}
			http.Error(w, `{"error":{"message":"not now","type":"api_error"}}`, status)
		default:
			handler.ServeHTTP(w, r)
		}
	})
}
