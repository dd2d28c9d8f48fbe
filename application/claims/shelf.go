package claims

import (
	"container/list"
	"context"
	"errors"
	"maps"
	"sync"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// shelfRoom is the memory limit of compiled expressions, in bytes: those of 128 apps at
// the limit, or some 5,000 typical expressions.
const shelfRoom = 32 << 20

var errNotCompiled = errors.New("the expressions of an app were not compiled")

// compiled are the expressions of an app.
type compiled struct {
	app     app.ID
	sources map[string]string
	// programs are by the names of the claims, without those that do not compile. They,
	// err and size are set once ready is closed.
	programs map[string]outbound.Expression
	err      error
	size     int
	ready    chan struct{}
	by       *holder
	// place is the position in the list of its workspace; nil if it is not cached.
	place *list.Element
}

// shelf caches the compiled expressions of apps. They are compared with the app as
// stored each time, so entries cannot be stale. The zero value is an empty cache.
//
// # Decision: workspaces share the memory, and compile one at a time
//
// Context: everybody may create a workspace with apps, and compiling an expression
// costs a hundred times more than evaluating it. A cache that evicts the least recently
// used entry, or everything at once, evicts the entries of others as soon as one
// workspace has too many.
//
// Choice: when the cache is full, the workspace with the most entries loses its least
// recently used one. A small workspace thus loses nothing to a large one, however often
// that calls, and a single one may use all memory. Each workspace compiles for one app
// at a time, and all of them on one core: a new workspace waits for as many
// compilations as there are compiling workspaces, not apps.
//
// What would change our mind: expressions that compile in microseconds.
type shelf struct {
	// room takes the place of shelfRoom, for tests.
	room int

	guard   sync.Mutex
	apps    map[app.ID]*compiled
	holders map[workspace.ID]*holder
	held    int
	// gate is held while compiling. Unlike a mutex it is granted in order of arrival.
	gate chan struct{}
}

// holder is a workspace and its cached entries.
type holder struct {
	org workspace.ID
	// used are its apps, the last used first.
	used list.List
	held int
	// turn is held while it compiles, and waiting counts its waiting apps.
	turn    sync.Mutex
	waiting int
}

// of returns the current expressions of an app. If they are not cached, one caller
// compiles them, and concurrent ones wait for the result. It fails with the context, or
// with the error of the compilation.
func (s *shelf) of(ctx context.Context, a app.Snapshot, sources map[string]string, compile func(*compiled)) (*compiled, error) {
	found, known := s.find(a, sources)
	if !known {
		s.compile(found, compile)
	}
	select {
	case <-found.ready:
		return found, found.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// find returns the expressions of an app, and whether they are compiled, or are being so.
func (s *shelf) find(a app.Snapshot, sources map[string]string) (found *compiled, known bool) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if found, known = s.apps[a.ID]; known && maps.Equal(found.sources, sources) {
		if found.place != nil {
			found.by.used.MoveToFront(found.place)
		}
		return found, true
	}
	if known {
		s.drop(found)
	}
	s.open()
	found = &compiled{
		app: a.ID, sources: maps.Clone(sources), err: errNotCompiled, ready: make(chan struct{}), by: s.expect(a.OrgID),
	}
	s.apps[a.ID] = found
	return found, false
}

// open initializes the zero value.
func (s *shelf) open() {
	if s.apps == nil {
		s.apps, s.holders, s.gate = map[app.ID]*compiled{}, map[workspace.ID]*holder{}, make(chan struct{}, 1)
	}
}

// expect returns a workspace that waits to compile.
func (s *shelf) expect(org workspace.ID) *holder {
	by := s.holders[org]
	if by == nil {
		by = &holder{org: org}
		s.holders[org] = by
	}
	by.waiting++
	return by
}

func (s *shelf) compile(made *compiled, compile func(*compiled)) {
	defer close(made.ready)
	defer s.keep(made)
	s.inTurn(made.by, func() { compile(made) })
}

// try compiles for a workspace without caching.
func (s *shelf) try(org workspace.ID, compile func()) {
	s.guard.Lock()
	s.open()
	by := s.expect(org)
	s.guard.Unlock()
	defer func() {
		s.guard.Lock()
		defer s.guard.Unlock()
		by.waiting--
		s.forget(by)
	}()
	s.inTurn(by, compile)
}

// inTurn compiles once it is the turn of the workspace, and then its own among others.
func (s *shelf) inTurn(by *holder, compile func()) {
	by.turn.Lock()
	defer by.turn.Unlock()
	s.gate <- struct{}{}
	defer func() { <-s.gate }()
	compile()
}

// keep caches a compilation, unless it failed or the app has changed since, and evicts
// others if needed.
func (s *shelf) keep(made *compiled) {
	s.guard.Lock()
	defer s.guard.Unlock()
	made.by.waiting--
	switch {
	case s.apps[made.app] != made:
	case made.err != nil:
		s.drop(made)
	default:
		made.place = made.by.used.PushFront(made)
		made.by.held += made.size
		s.held += made.size
	}
	room := s.room
	if room == 0 {
		room = shelfRoom
	}
	for s.held > room {
		last, _ := s.largest().used.Back().Value.(*compiled)
		s.drop(last)
	}
	s.forget(made.by)
}

// largest returns the workspace that holds most.
func (s *shelf) largest() *holder {
	var largest *holder
	for _, one := range s.holders {
		if largest == nil || one.held > largest.held {
			largest = one
		}
	}
	return largest
}

// drop takes the expressions of an app off.
func (s *shelf) drop(old *compiled) {
	delete(s.apps, old.app)
	if old.place != nil {
		old.by.used.Remove(old.place)
		old.by.held -= old.size
		s.held -= old.size
		old.place = nil
	}
	s.forget(old.by)
}

// forget leaves out a workspace of which nothing is kept or waited for.
func (s *shelf) forget(one *holder) {
	if one.waiting == 0 && one.used.Len() == 0 {
		delete(s.holders, one.org)
	}
}
