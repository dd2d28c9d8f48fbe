package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Relations checks workspaces.Relations and workspaces.RelationDirectory.
func Relations(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("writes and reads", w.relationsStored)
	t.Run("answers questions together", w.relationsTogether)
	t.Run("moves heads in turn", w.relationsInTurn)
	t.Run("keeps versions of models", w.relationModels)
	t.Run("reads as of one moment", w.relationSnapshots)
	t.Run("deletes those of a group", w.relationsOfGroups)
}

// related is a tuple.
func (w *world) related(object, name, subject string) relation.Tuple {
	of, err := relation.ParseObject(object)
	who, err2 := relation.ParseSubject(subject)
	if err := errors.Join(err, err2); err != nil {
		panic(err)
	}
	return relation.Tuple{Key: relation.Key{Object: of, Relation: name, Subject: who}, WrittenAt: noon()}
}

// put stores tuples.
func (w *world) put(t *testing.T, org workspace.ID, tuples ...relation.Tuple) (count int) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		count, err = tx.Relations.Put(ctx, org, tuples)
		return err
	})
	return count
}

// relations counts the tuples of some shapes.
func (w *world) relations(t *testing.T, org workspace.ID, shapes ...string) int {
	t.Helper()
	found, err := w.store.RelationDirectory.Tuples(t.Context(), org, workspaces.RelationQuery{Shapes: shapes, Limit: 100})
	is(t, "the tuples", err, nil)
	return len(found)
}

// head is where the relations of a workspace stand.
func (w *world) head(t *testing.T, org workspace.ID) (head workspaces.RelationHead) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		head, err = tx.Relations.Hold(ctx, org)
		return err
	})
	return head
}

func (w *world) relationsStored(t *testing.T) {
	_, org := w.owner(t, "relations@example.com")
	_, other := w.owner(t, "relations-other@example.com")
	full := w.related("doc:1", "viewer", "user:a")
	full.Condition, full.Context, full.ExpiresAt = "cond", `{"x":1}`, noon().Add(time.Hour)
	set, plain := w.related("doc:1", "viewer", "team:t#member"), w.related("doc:1", "parent", "doc:2")
	equal(t, "new", w.put(t, org, full, set, plain), 3)
	equal(t, "the same once more", w.put(t, org, full, set), 0)
	changed := full
	changed.Context, changed.ExpiresAt = "", time.Time{}
	equal(t, "changed", w.put(t, org, changed, set), 1)
	equal(t, "changed back", w.put(t, org, full), 1)
	w.put(t, other, set)
	directory := w.store.RelationDirectory
	list := func(q workspaces.RelationQuery) []relation.Tuple {
		q.Limit = 10
		found, err := directory.Tuples(t.Context(), org, q)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	equal(t, "of an object", list(workspaces.RelationQuery{Object: &full.Object}), []relation.Tuple{plain, full, set})
	equal(t, "of a subject", list(workspaces.RelationQuery{Subject: &full.Subject}), []relation.Tuple{full})
	equal(t, "of shapes", list(workspaces.RelationQuery{Shapes: []string{plain.Shape(), full.Shape()}}), []relation.Tuple{plain, full})
	w.clock.move(time.Hour)
	equal(t, "when it has expired", list(workspaces.RelationQuery{Subject: &full.Subject}), []relation.Tuple{})
	w.clock.move(-time.Hour)
	w.do(t, func(ctx context.Context, tx Repos) error {
		n, err := tx.Relations.Delete(ctx, org, []relation.Key{full.Key, set.Key, w.related("doc:9", "viewer", "user:a").Key})
		equal(t, "deleted", n, 2)
		return err
	})
	shapes := []string{plain.Shape(), full.Shape(), set.Shape()}
	equal(t, "left", w.relations(t, org, shapes...), 1)
	equal(t, "left to the other", w.relations(t, other, shapes...), 1)
}

// relationsTogether asks for two workspaces at once, and for more than is given.
func (w *world) relationsTogether(t *testing.T) {
	_, one := w.owner(t, "together@example.com")
	_, two := w.owner(t, "together-two@example.com")
	w.put(t, one, w.related("doc:1", "viewer", "user:a"), w.related("doc:1", "viewer", "team:x#member"), w.related("doc:1", "viewer", "team:y#member"))
	w.put(t, two, w.related("doc:1", "viewer", "user:b"))
	directory := w.store.RelationDirectory
	a, b := w.related("doc:1", "viewer", "user:a").Key, w.related("doc:1", "viewer", "user:b").Key
	pair := relation.Pair{Object: a.Object, Relation: "viewer"}
	answers := make(chan string)
	const callers = 20
	for i := range callers {
		go func() {
			org, limit := []workspace.ID{one, two}[i%2], 1+i%4/2
			found, _, err := directory.Read(t.Context(), org, relation.Query{
				Exact: []relation.Key{a, b}, Usersets: []relation.Pair{pair}, Objects: []relation.Pair{pair}, Limit: limit,
			})
			answers <- fmt.Sprint(i%4, len(found.Exact) > 0, len(found.Usersets), len(found.Objects), found.More, err)
		}()
	}
	for range callers {
		got := <-answers
		wanted := []string{"0 true 1 1 true <nil>", "1 true 0 1 false <nil>", "2 true 2 1 false <nil>", "3 true 0 1 false <nil>"}
		if !slices.Contains(wanted, got) {
			t.Errorf("answered %q", got)
		}
	}
}

// relationsInTurn lets many move one head: each sees what the one before did.
func (w *world) relationsInTurn(t *testing.T) {
	_, org := w.owner(t, "turns@example.com")
	const movers = 8
	done := make(chan error, movers)
	for range movers {
		go func() {
			done <- w.unit.Do(t.Context(), func(tx Repos) error {
				head, err := tx.Relations.Hold(t.Context(), org)
				if err != nil {
					return err
				}
				head.Revision++
				return tx.Relations.Move(t.Context(), org, head, workspaces.RelationModel{})
			})
		}()
	}
	for range movers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	equal(t, "the head", w.head(t, org).Revision, relation.Revision(8))
}

func (w *world) relationModels(t *testing.T) {
	_, org := w.owner(t, "models@example.com")
	w.do(t, func(ctx context.Context, tx Repos) error {
		head, err := tx.Relations.Hold(ctx, org)
		for version := int64(1); err == nil && version <= 102; version++ {
			head.ModelVersion = version
			err = tx.Relations.Move(ctx, org, head, workspaces.RelationModel{Text: fmt.Sprint(version), CreatedAt: noon()})
		}
		return err
	})
	directory := w.store.RelationDirectory
	found, err := directory.Model(t.Context(), org, 3)
	equal(t, "the oldest that is kept", found, workspaces.RelationModel{Text: "3", CreatedAt: noon()})
	if _, gone := directory.Model(t.Context(), org, 2); err != nil || !errors.Is(gone, relation.ErrNoVersion) {
		t.Errorf("Model() = %v, of an older one %v, want ErrNoVersion", err, gone)
	}
}

// relationSnapshots sees nothing of what is written meanwhile.
func (w *world) relationSnapshots(t *testing.T) {
	_, org := w.owner(t, "snapshots@example.com")
	w.put(t, org, w.related("doc:1", "viewer", "user:a"))
	source := relation.Source{Subject: w.related("doc:1", "viewer", "user:a").Subject, Relation: "viewer", Type: "doc"}
	err := w.store.RelationDirectory.Snapshot(t.Context(), org, func(from workspaces.RelationSnapshot) error {
		for range 2 {
			found, err := from.Related(t.Context(), []relation.Source{source}, 10)
			equal(t, "what is seen", len(found), 1)
			if err != nil {
				return err
			}
			w.put(t, org, w.related("doc:2", "viewer", "user:a"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whoever writes tuples with a group while it is deleted leaves none behind.
func (w *world) relationsOfGroups(t *testing.T) {
	org := w.team(t, false, role.Owner)
	for round := range 5 {
		g := w.form(t, org, fmt.Sprint("group ", round))
		tuple := w.related("doc:1", "viewer", relation.Group(g.ID.String()).String()+"#member")
		w.head(t, org)
		var both sync.WaitGroup
		within := func(work func(ctx context.Context, tx Repos) error) {
			both.Go(func() {
				if err := w.unit.Do(t.Context(), func(tx Repos) error { return work(t.Context(), tx) }); err != nil {
					t.Error(err)
				}
			})
		}
		within(func(ctx context.Context, tx Repos) error {
			has, err := tx.GroupHolds.Hold(ctx, org, []group.ID{g.ID})
			if err != nil || len(has) == 0 {
				return err
			}
			if _, err = tx.Relations.Hold(ctx, org); err != nil {
				return err
			}
			_, err = tx.Relations.Put(ctx, org, []relation.Tuple{tuple})
			return err
		})
		within(func(ctx context.Context, tx Repos) error {
			found, err := tx.Groups.ByID(ctx, org, g.ID)
			if err != nil {
				return err
			}
			found.Delete()
			return tx.Groups.Delete(ctx, found)
		})
		both.Wait()
		equal(t, "tuples of a deleted group", w.relations(t, org, tuple.Shape()), 0)
	}
}

func (w *world) upkeepRelations(t *testing.T) {
	_, org := w.owner(t, "upkeep-relations@example.com")
	for i, expires := range []time.Time{noon(), noon().Add(time.Microsecond), {}} {
		made := w.related(fmt.Sprintf("doc:%d", i), "viewer", "user:a")
		made.ExpiresAt = expires
		w.put(t, org, made)
	}
	w.dueAt(t, ops.PurgeRelations, noon())
	equal(t, "what is left", w.relations(t, org, w.related("doc:1", "viewer", "user:a").Shape()), 2)
}
