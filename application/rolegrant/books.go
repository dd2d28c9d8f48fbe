package rolegrant

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// booksRoom is the memory limit of cached books, in bytes: some 10,000 typical ones.
const booksRoom = 32 << 20

// errBehind is returned if the store returns older roles than before.
var errBehind = errors.New("using cached roles of a workspace")

// Books caches the role books of workspaces. The zero value with Rights set is an empty
// cache.
//
// # Decision: one book for each workspace, found by the version read with the caller
//
// Context: permissions follow from the grants and groups of a member, and from the
// definitions of roles, which are many times larger and change rarely. Every request
// must use both as they are in the store.
//
// Choice: admission reads the grants with the version of the definitions. A cached book
// of that version is current; otherwise it is read again, by one statement that returns
// its version. Concurrent callers share the read. When the cache is full, the least
// recently used book is evicted.
//
// What would change our mind: definitions so large that a process cannot hold those in
// use; then standings would be kept instead, each of a member.
type Books struct {
	Rights workspaces.Rights
	// Room takes the place of booksRoom, for tests.
	Room int

	guard sync.Mutex
	kept  map[workspace.ID]*list.Element
	// used are the books, the last used first.
	used    list.List
	held    int
	reading map[workspace.ID]chan struct{}
}

// cachedBook is one book that is kept.
type cachedBook struct {
	org  workspace.ID
	book *role.Book
	size int
}

// Standing returns the permissions of a member at a time.
func (b *Books) Standing(ctx context.Context, held role.MemberGrants, now time.Time) (role.EffectiveRoles, error) {
	book, err := b.At(ctx, held.Org, held.Rights)
	if errors.Is(err, workspace.ErrNotFound) { // it was deleted meanwhile
		return role.Plain().Standing(role.MemberGrants{Org: held.Org}, now), nil
	}
	if err != nil {
		return role.EffectiveRoles{}, err
	}
	return book.Standing(held, now), nil
}

// Now returns the book of a workspace as it is. It fails with workspace.ErrNotFound.
func (b *Books) Now(ctx context.Context, org workspace.ID) (*role.Book, error) {
	version, err := b.Rights.Version(ctx, org)
	if err != nil {
		return nil, err
	}
	return b.At(ctx, org, version)
}

// Of returns the book of the workspace that a caller acts in, as it was when they were
// admitted. It fails with workspace.ErrNotFound.
func (b *Books) Of(ctx context.Context, caller access.Caller) (*role.Book, error) {
	if standing, is := caller.Source.(role.EffectiveRoles); is {
		if book := standing.Book(caller.Org); book != nil {
			return book, nil
		}
	}
	return b.Now(ctx, caller.Org)
}

// At returns the book of a workspace as it is at a version or, where the store has moved
// on, a later one. It fails with workspace.ErrNotFound.
func (b *Books) At(ctx context.Context, org workspace.ID, version int64) (*role.Book, error) {
	if version == 0 {
		return role.Plain(), nil
	}
	for {
		book, others := b.find(org, version)
		switch {
		case book != nil:
			return book, nil
		case others == nil:
			return b.read(ctx, org, version)
		}
		select {
		case <-others:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// find returns a cached book. If there is none, it returns a channel that is closed
// once another caller has read it, or makes the caller the reader.
func (b *Books) find(org workspace.ID, version int64) (*role.Book, chan struct{}) {
	b.guard.Lock()
	defer b.guard.Unlock()
	if place, known := b.kept[org]; known {
		if one, _ := place.Value.(*cachedBook); one.book.Version() == version {
			b.used.MoveToFront(place)
			return one.book, nil
		}
	}
	if others, being := b.reading[org]; being {
		return nil, others
	}
	if b.reading == nil {
		b.reading, b.kept = map[workspace.ID]chan struct{}{}, map[workspace.ID]*list.Element{}
	}
	b.reading[org] = make(chan struct{})
	return nil, nil
}

func (b *Books) read(ctx context.Context, org workspace.ID, version int64) (*role.Book, error) {
	book, err := b.readCommitted(ctx, org)
	if err != nil || book.Version() >= version {
		return book, err
	}
	// The command itself changed the book, and its transaction may still be rolled
	// back.
	if book, err = b.Rights.BookWithin(ctx, org); err == nil && book.Version() < version {
		return nil, errBehind
	}
	return book, err
}

// readCommitted reads a book, and keeps it.
func (b *Books) readCommitted(ctx context.Context, org workspace.ID) (*role.Book, error) {
	book, err := b.Rights.Book(ctx, org)
	b.guard.Lock()
	defer b.guard.Unlock()
	close(b.reading[org])
	delete(b.reading, org)
	if err != nil {
		return nil, err
	}
	b.keep(org, book)
	return book, nil
}

// keep puts a book in the place of an earlier one, and makes room for it.
func (b *Books) keep(org workspace.ID, book *role.Book) {
	b.drop(b.kept[org])
	one := &cachedBook{org: org, book: book, size: book.Size()}
	b.kept[org] = b.used.PushFront(one)
	b.held += one.size
	room := b.Room
	if room == 0 {
		room = booksRoom
	}
	for b.held > room {
		b.drop(b.used.Back())
	}
}

func (b *Books) drop(place *list.Element) {
	if place == nil {
		return
	}
	one, _ := b.used.Remove(place).(*cachedBook)
	delete(b.kept, one.org)
	b.held -= one.size
}
