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

// shelfRoom bounds what compiled expressions hold in memory, in bytes: those of 128 apps
// that use all they may, or of some 5,000 expressions of the usual length.
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
	// place is where it stands among those of its workspace; nil while it is not kept.
	place *list.Element
}

// shelf keeps the compiled expressions of apps. They follow from what the store says of
// an app, which is compared each time, so that nothing kept can turn wrong. The zero
// value is empty.
//
// # Decision: workspaces share the room, and compile one at a time
//
// Context: everybody may open a workspace with apps, and an expression costs a hundred
// times more to compile than to run. A shelf that forgets what was used longest ago, or
// everything at once, forgets what others need as soon as one workspace has too much.
//
// Choice: when there is no room, the workspace that holds most gives up what it used
// longest ago. So one that holds little loses nothing to one that holds much, however
// often that calls, and one alone may use all of it. Each workspace compiles for one app
// at a time, and all of them together on one core: whoever comes anew waits for as many
// compilations as there are workspaces that compile, not as there are apps.
//
// What would change our mind: expressions that compile in microseconds.
type shelf struct {
	// room takes the place of shelfRoom, for tests.
	room int

	guard   sync.Mutex
	apps    map[app.ID]*compiled
	holders map[workspace.ID]*holder
	held    int
	// gate holds one while anything is compiled. Unlike a mutex it lets them through in
	// the order in which they came.
	gate chan struct{}
}

// holder is a workspace with what is kept of it.
type holder struct {
	org workspace.ID
	// used are its apps, the last used first.
	used list.List
	held int
	// turn is held while it compiles, waiting counts its apps that want to.
	turn    sync.Mutex
	waiting int
}

// of returns the expressions of an app as they are now. When they are not kept, one who
// asks has them compiled, and those who ask meanwhile wait for the same. It fails when
// the context ends, or with what the compilation failed with.
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

// open makes what the zero value lacks.
func (s *shelf) open() {
	if s.apps == nil {
		s.apps, s.holders, s.gate = map[app.ID]*compiled{}, map[workspace.ID]*holder{}, make(chan struct{}, 1)
	}
}

// expect returns a workspace that wants to compile.
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

// try compiles for a workspace what is not to be kept.
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

// keep puts what was compiled on the shelf, unless it failed or the app has changed
// since, and makes room for it.
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
