package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
)

// RelationHead is the current state of the relations of a workspace; zero if it never
// had any.
type RelationHead struct {
	Revision relation.Revision
	// ModelVersion is the active version of the model; 0 for none.
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
	// Hold returns the head, and blocks concurrent changes of the workspace's relations
	// until the transaction ends.
	Hold(ctx context.Context, org workspace.ID) (RelationHead, error)
	// Put stores tuples with distinct keys, and returns how many are new or changed.
	Put(ctx context.Context, org workspace.ID, tuples []relation.Tuple) (int, error)
	// Delete deletes tuples, and returns how many existed.
	Delete(ctx context.Context, org workspace.ID, keys []relation.Key) (int, error)
	// Stored returns tuples like RelationDirectory.Tuples.
	Stored(ctx context.Context, org workspace.ID, query RelationQuery) ([]relation.Tuple, error)
	// Move stores the head, and the model of its version unless it is empty.
	Move(ctx context.Context, org workspace.ID, head RelationHead, model RelationModel) error
	// Model returns a version of the model. It fails with relation.ErrNoVersion.
	Model(ctx context.Context, org workspace.ID, version int64) (RelationModel, error)
}

// RelationQuery narrows a list of tuples that have not expired.
type RelationQuery struct {
	// Object, Subject and Relation select tuples; nil and "" do not narrow. Without
	// Object and Subject, Shapes are the shapes to list, in order.
	Object   *relation.Object
	Subject  *relation.Subject
	Relation string
	Shapes   []string
	// After is the last tuple of the previous page; nil for none.
	After *RelationMark
	Limit int
}

// RelationMark is the position of a tuple in a list.
type RelationMark struct{ Shape, Object, Subject string }

// RelationDirectory reads relations, outside any unit of work.
type RelationDirectory interface {
	// Model returns a version of the model. It fails with relation.ErrNoVersion.
	Model(ctx context.Context, org workspace.ID, version int64) (RelationModel, error)
	// Tuples returns tuples, in an order that depends on the kind of query.
	Tuples(ctx context.Context, org workspace.ID, query RelationQuery) ([]relation.Tuple, error)
	// Read executes a query together with concurrent ones, and returns the head at
	// which it was executed.
	Read(ctx context.Context, org workspace.ID, q relation.Query) (relation.QueryResult, RelationHead, error)
	// Snapshot calls read with a consistent view of the relations.
	Snapshot(ctx context.Context, org workspace.ID, read func(RelationSnapshot) error) error
}

// RelationSnapshot is a consistent view of the relations of a workspace.
type RelationSnapshot interface {
	relation.Lister
	Head(ctx context.Context) (RelationHead, error)
	// Model returns a version of the model. It fails with relation.ErrNoVersion.
	Model(ctx context.Context, version int64) (RelationModel, error)
}
