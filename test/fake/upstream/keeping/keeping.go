// Package keeping is what the payment processors of tests have in common: a server that can be
// told to misbehave and to lie, the objects that it keeps, and the answers that it gave to calls
// with an idempotency key.
package keeping

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream/misbehaving"
)

// Object is one object of an API. A name that begins with + is not shown.
type Object = map[string]any

// Server is a running processor. Its fields are read and written under Mu.
type Server struct {
	misbehaving.Switches

	T    testing.TB
	HTTP *httptest.Server
	// Now is its clock.
	Now func() time.Time

	Mu sync.Mutex
	// Sum and Currency are charged in place of what was agreed; 0 and "" are the truth.
	Sum      int64
	Currency string
	// Short is charged in place of what is due, which the objects go on to name; 0 is the truth.
	Short int64
	// KeepsFailures reports whether a call that failed is known again by its key too.
	KeepsFailures bool
	// Made is how many things were made.
	Made    int
	Objects map[string]Object

	order    []string
	answered map[string]answer
}

// answer is what was answered to a call with an idempotency key.
type answer struct {
	asked  string
	status int
	body   Object
}

// Start starts a processor that answers by a handler. It ends with the test.
func (s *Server) Start(t testing.TB, handler http.HandlerFunc) {
	t.Helper()
	s.T, s.Now, s.Objects, s.answered = t, time.Now, map[string]Object{}, map[string]answer{}
	s.HTTP = httptest.NewServer(s.Around(handler))
	t.Cleanup(func() {
		s.HTTP.CloseClientConnections()
		s.HTTP.Close()
	})
}

// Lie charges another sum from now on, or in another currency; 0 and "" are the truth.
func (s *Server) Lie(sum int64, currency string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Sum, s.Currency = sum, currency
}

// Underpay charges another sum from now on than the objects name as due; 0 is the truth.
func (s *Server) Underpay(sum int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Short = sum
}

// Charged returns what is charged where a sum is due.
func (s *Server) Charged(due int64) int64 {
	if s.Short != 0 {
		return s.Short
	}
	return due
}

// Forget forgets the idempotency keys, as processors do after a while.
func (s *Server) Forget() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	clear(s.answered)
}

// Rename has all objects name something by another identifier of the service.
func (s *Server) Rename(from, to string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, one := range s.Objects {
		renamed(one, from, to)
	}
}

// renamed is a value with another identifier in it.
func renamed(value any, from, to string) any {
	switch of := value.(type) {
	case string:
		return strings.ReplaceAll(of, from, to)
	case Object:
		for name, one := range of {
			of[name] = renamed(one, from, to)
		}
	case map[string]string:
		for name, one := range of {
			of[name] = strings.ReplaceAll(one, from, to)
		}
	case []Object:
		for _, one := range of {
			renamed(one, from, to)
		}
	case []any:
		for i, one := range of {
			of[i] = renamed(one, from, to)
		}
	}
	return value
}

// Once answers a call whose idempotency key is known as it was answered before. It reports
// false where the key was that of another call. Without a key a call is answered anew, and
// where it fails, unless failures are kept.
func (s *Server) Once(key, asked string, by func() (int, Object)) (status int, body Object, same bool) {
	if earlier, known := s.answered[key]; known {
		return earlier.status, earlier.body, earlier.asked == asked
	}
	status, body = by()
	if key != "" && (s.KeepsFailures || status < http.StatusMultipleChoices) {
		s.answered[key] = answer{asked, status, body}
	}
	return status, body, true
}

// Next numbers what is made.
func (s *Server) Next() int {
	s.Made++
	return s.Made
}

// Name is an identifier by a format with the number of what is made.
func (s *Server) Name(format string) string { return fmt.Sprintf(format, s.Next()) }

// Keep keeps an object under an identifier.
func (s *Server) Keep(id string, o Object) Object {
	o["id"] = id
	s.Objects[id] = o
	s.order = append(s.order, id)
	return o
}

// All returns the objects that match all of these, newest first.
func (s *Server) All(matches ...Object) (found []Object) {
	for _, id := range slices.Backward(s.order) {
		fits := true
		for _, some := range matches {
			for name, want := range some {
				fits = fits && s.Objects[id][name] == want
			}
		}
		if fits {
			found = append(found, s.Objects[id])
		}
	}
	return found
}

// Shown is an object without what is not shown.
func Shown(o Object) Object {
	out := maps.Clone(o)
	maps.DeleteFunc(out, func(name string, _ any) bool { return strings.HasPrefix(name, "+") })
	return out
}

// Text is a value that is a string; "" for anything else.
func Text(value any) string {
	text, _ := value.(string)
	return text
}
