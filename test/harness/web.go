package harness

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/ports/outbound"
)

// Web holds the documents by which clients describe themselves, and their logos, by
// their address.
type Web struct {
	mu        sync.Mutex
	documents map[string][]byte
	pictures  map[string]outbound.Picture
	keep      time.Duration
	fetches   int
	meanwhile func()
}

// webs are by database, so that replicas share one.
var webs sync.Map

// webOf returns the web of a database, until the test ends.
func webOf(t testing.TB, database string) *Web {
	t.Helper()
	web, _ := webs.LoadOrStore(database, &Web{documents: map[string][]byte{}, pictures: map[string]outbound.Picture{}})
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

// Picture returns the picture at an address.
func (w *Web) Picture(_ context.Context, address string) (outbound.Picture, error) {
	w.mu.Lock()
	w.fetches++
	found, known := w.pictures[address]
	meanwhile := w.meanwhile
	w.mu.Unlock()
	if meanwhile != nil {
		meanwhile()
	}
	if !known {
		return outbound.Picture{}, errNoDocument
	}
	return found, nil
}

// Show puts a picture at an address.
func (w *Web) Show(address string, picture outbound.Picture) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pictures[address] = picture
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
