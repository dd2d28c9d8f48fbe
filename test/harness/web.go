package harness

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"
)

// Web holds the documents by which clients describe themselves, by their address.
type Web struct {
	mu        sync.Mutex
	documents map[string][]byte
	keep      time.Duration
	fetches   int
	meanwhile func()
}

// webs are by database, so that replicas share one.
var webs sync.Map

// webOf returns the web of a database, until the test ends.
func webOf(t testing.TB, database string) *Web {
	t.Helper()
	web, _ := webs.LoadOrStore(database, &Web{documents: map[string][]byte{}})
	t.Cleanup(func() { webs.Delete(database) })
	return web.(*Web)
}

var errNoDocument = errors.New("there is no document at the address")

// Document returns the document at an address, and for how long it may be kept.
func (w *Web) Document(_ context.Context, address string) ([]byte, time.Duration, error) {
	w.mu.Lock()
	w.fetches++
	body, found := w.documents[address]
	keep, meanwhile := w.keep, w.meanwhile
	w.mu.Unlock()
	if meanwhile != nil {
		meanwhile()
	}
	if !found {
		return nil, 0, errNoDocument
	}
	return body, keep, nil
}

// Meanwhile sets what happens during each fetch from now on; nil for nothing.
func (w *Web) Meanwhile(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.meanwhile = do
}

// Publish puts a document at an address, which may be kept for a while; nil takes it away.
func (w *Web) Publish(t testing.TB, address string, document any, keep time.Duration) {
	t.Helper()
	body, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keep, w.documents[address] = keep, body
	if document == nil {
		delete(w.documents, address)
	}
}

// Fetches is how often documents were asked for.
func (w *Web) Fetches() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fetches
}
