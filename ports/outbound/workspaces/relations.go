package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
)

// RelationHead is where the relations of a workspace stand. The zero head is that of a
// workspace which never had any.
type RelationHead struct {
	Revision relation.Revision
	// ModelVersion is that of the model in force; 0 for none.
	ModelVersion int64
}

// RelationModel is a version of the model of a workspace.
type RelationModel struct {
	// Text is the model as JSON.
	Text      string
	CreatedAt time.Time
}

// Relations changes the relations of a workspace, inside a unit of work.
type Relations interface {
	// Hold returns the head and holds off every other change of the workspace's relations
	// until the transaction ends.
	Hold(ctx context.Context, org workspace.ID) (RelationHead, error)
	// Put stores tuples with different keys and returns how many are new, or differ from
	// the one that was there.
	Put(ctx context.Context, org workspace.ID, tuples []relation.Tuple) (int, error)
	// Delete returns how many tuples there were.
	Delete(ctx context.Context, org workspace.ID, keys []relation.Key) (int, error)
	// Stored lists tuples, as RelationDirectory does.
	Stored(ctx context.Context, org workspace.ID, query RelationQuery) ([]relation.Tuple, error)
	// Move stores the head, and the model of its version unless it is empty.
	Move(ctx context.Context, org workspace.ID, head RelationHead, model RelationModel) error
	// Model fails with relation.ErrNoVersion.
	Model(ctx context.Context, org workspace.ID, version int64) (RelationModel, error)
}

// RelationQuery narrows a list of tuples that have not expired.
type RelationQuery struct {
	// Object and Subject are those of all tuples, Relation likewise; nil and "" do not
	// narrow. Without Object and Subject, Shapes are the shapes to list, in order.
	Object   *relation.Object
	Subject  *relation.Subject
	Relation string
	Shapes   []string
	// After is the last tuple of the page before; nil for none.
	After *RelationMark
	Limit int
}

// RelationMark is where a list of tuples goes on.
type RelationMark struct{ Shape, Object, Subject string }

// RelationDirectory reads relations, outside any unit of work.
type RelationDirectory interface {
	// Model fails with relation.ErrNoVersion.
	Model(ctx context.Context, org workspace.ID, version int64) (RelationModel, error)
	// Tuples lists tuples, in an order that each kind of query has for itself.
	Tuples(ctx context.Context, org workspace.ID, query RelationQuery) ([]relation.Tuple, error)
	// Read answers a query together with those that wait at the same time, and tells
	// where the relations stood when it was read.
	Read(ctx context.Context, org workspace.ID, q relation.Query) (relation.Found, RelationHead, error)
	// Snapshot lets everything be read as it is at one moment.
	Snapshot(ctx context.Context, org workspace.ID, read func(RelationSnapshot) error) error
}

// RelationSnapshot reads the relations of a workspace as they were at one moment.
type RelationSnapshot interface {
	relation.Lister
	Head(ctx context.Context) (RelationHead, error)
	// Model fails with relation.ErrNoVersion.
	Model(ctx context.Context, version int64) (RelationModel, error)
}
