package rolegrant_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

const org = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")

// store is what workspaces grant, and how often it was read.
type store struct {
	workspaces.Rights

	version, reads atomic.Int64
	slow           chan struct{}
	fails          error
}

func (s *store) Book(context.Context, workspace.ID) (*role.Book, error) {
	s.reads.Add(1)
	if s.slow != nil {
		<-s.slow
	}
	if s.fails != nil {
		return nil, s.fails
	}
	return role.NewBook(role.Content{Version: s.version.Load(), Own: []string{"docs:read"}}), nil
}

func (s *store) Version(context.Context, workspace.ID) (int64, error) { return s.version.Load(), nil }

func (s *store) BookWithin(context.Context, workspace.ID) (*role.Book, error) {
	return role.NewBook(role.Content{Version: s.version.Load() + 1}), nil
}

func TestABookIsReadOncePerVersion(t *testing.T) {
	t.Parallel()
	s := &store{}
	books := &rolegrant.Books{Rights: s}
	read := func(version, want, reads int64) {
		t.Helper()
		book, err := books.At(t.Context(), org, version)
		if err != nil || book.Version() != want || s.reads.Load() != reads {
			t.Fatalf("At(%d) = %v, %v after %d reads, want %d after %d", version, book, err, s.reads.Load(), want, reads)
		}
	}
	read(0, 0, 0) // what never changed is not read
	s.version.Store(4)
	read(4, 4, 1)
	read(4, 4, 1)
	s.version.Store(6)
	read(5, 6, 2) // the store has moved on since the version was read
	read(6, 6, 2)
	s.version.Store(3) // a backup was restored
	read(3, 3, 3)
	// The command itself changed something, and may be taken back.
	read(4, 4, 4)
	read(3, 3, 4)
	if _, err := books.At(t.Context(), org, 9); err == nil {
		t.Error("an older book was taken for a newer one")
	}
	s.fails = workspace.ErrNotFound
	held := role.MemberGrants{Org: org, Rights: 12, Grants: []workspace.Grant{{Role: role.Owner}}}
	if standing, err := books.Standing(t.Context(), held, time.Time{}); err != nil || len(standing.Permissions) > 0 {
		t.Errorf("in a workspace that is gone: %v, %v", standing, err)
	}
	s.fails = errors.New("broken")
	if _, err := books.Standing(t.Context(), held, time.Time{}); !errors.Is(err, s.fails) {
		t.Errorf("with a broken store: %v", err)
	}
}

func TestTheBookOfACallerIsThatOfTheirAdmission(t *testing.T) {
	t.Parallel()
	s := &store{}
	s.version.Store(4)
	books := &rolegrant.Books{Rights: s}
	standing, err := books.Standing(t.Context(), role.MemberGrants{Org: org, Rights: 4}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	s.version.Store(5)
	for _, c := range []struct {
		what   string
		caller access.Caller
		want   int64
	}{
		{"a person", access.Caller{Org: org, Source: standing}, 4},
		{"one admitted elsewhere", access.Caller{Org: "org_other", Source: standing}, 5},
		{"an app", access.Caller{Org: org}, 5},
	} {
		if book, err := books.Of(t.Context(), c.caller); err != nil || book.Version() != c.want {
			t.Errorf("%s: version %d, %v, want %d", c.what, book.Version(), err, c.want)
		}
	}
}

func TestConcurrentCallersShareARead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{slow: make(chan struct{})}
		s.version.Store(1)
		books := &rolegrant.Books{Rights: s}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := books.At(t.Context(), org, 1); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait() // one reads, the others wait for it
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := books.At(ctx, org, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("one who gave up: %v", err)
		}
		close(s.slow)
		all.Wait()
		if n := s.reads.Load(); n != 1 {
			t.Errorf("%d reads", n)
		}
	})
}

func TestBooksHaveSoMuchRoom(t *testing.T) {
	t.Parallel()
	s := &store{}
	s.version.Store(1)
	books := &rolegrant.Books{Rights: s, Room: 20 * role.NewBook(role.Content{Version: 1, Own: []string{"docs:read"}}).Size()}
	of := func(n int) workspace.ID { return workspace.ID(fmt.Sprint("org_", n)) }
	for n := range 100 {
		for _, one := range []int{n, 0} { // the first is used all the time
			if _, err := books.At(t.Context(), of(one), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := s.reads.Load(); n != 100 {
		t.Errorf("%d reads of 100 books, one of which was used all the time", n)
	}
	if _, err := books.At(t.Context(), of(1), 1); err != nil || s.reads.Load() != 101 {
		t.Errorf("%d reads, %v: more is kept than there is room for", s.reads.Load(), err)
	}
}
