package relation

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of relations.
const (
	KindWritten  event.Kind = "relation.written"
	KindDeleted  event.Kind = "relation.deleted"
	KindModelSet event.Kind = "relation_model.set"
)

// MostListed is how many tuples an event lists.
const MostListed = 100

// Written is the content of relation.written.
type Written struct {
	OrgID    workspace.ID `json:"org_id" doc:"Workspace of the relations."`
	Revision string       `json:"revision" doc:"Revision of the workspace's relations after the change."`
	Tuples   []string     `json:"tuples" doc:"Tuples that were written, as object#relation@subject."`
}

// Deleted is the content of relation.deleted.
type Deleted struct {
	OrgID    workspace.ID `json:"org_id" doc:"Workspace of the relations."`
	Revision string       `json:"revision" doc:"Revision of the workspace's relations after the change."`
	Count    int          `json:"count" doc:"Number of tuples deleted."`
	Tuples   []string     `json:"tuples" doc:"First 100 tuples that were deleted, as object#relation@subject."`
}

// ModelSet is the content of relation_model.set.
type ModelSet struct {
	OrgID   workspace.ID `json:"org_id" doc:"Workspace of the model."`
	Version int64        `json:"version" doc:"Version of the current model."`
}

func (Written) Kind() event.Kind  { return KindWritten }
func (Deleted) Kind() event.Kind  { return KindDeleted }
func (ModelSet) Kind() event.Kind { return KindModelSet }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const org = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
	tuples := []string{"document:1#viewer@user:usr_01jd7x9k2mf3q8v5t0abcdefgh"}
	return []event.Definition{
		{Summary: "Relation tuples were written.", Example: Written{org, "7", tuples}},
		{Summary: "Relation tuples were deleted.", Example: Deleted{org, "8", 1, tuples}},
		{Summary: "A version of the relation model was published.", Example: ModelSet{org, 2}},
	}
}
