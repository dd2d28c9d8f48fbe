package feature

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of features.
const (
	KindCreated         event.Kind = "feature.created"
	KindUpdated         event.Kind = "feature.updated"
	KindDeleted         event.Kind = "feature.deleted"
	KindOverrideSet     event.Kind = "feature_override.set"
	KindOverrideDeleted event.Kind = "feature_override.deleted"
)

// Created is the content of feature.created.
type Created struct {
	OrgID workspace.ID `json:"org_id" doc:"The workspace whose feature it is."`
	Key   Key          `json:"key" doc:"The new feature."`
	Type  Type         `json:"type" doc:"What its values are of."`
}

// Updated is the content of feature.updated.
type Updated struct {
	OrgID   workspace.ID `json:"org_id" doc:"The workspace whose feature it is."`
	Key     Key          `json:"key" doc:"The feature."`
	Changed []string     `json:"changed" doc:"Names of the fields that changed."`
}

// Deleted is the content of feature.deleted.
type Deleted struct {
	OrgID workspace.ID `json:"org_id" doc:"The workspace whose feature it was."`
	Key   Key          `json:"key" doc:"The feature that is gone, with its overrides."`
}

// OverrideSet is the content of feature_override.set.
type OverrideSet struct {
	OrgID        workspace.ID `json:"org_id" doc:"The workspace whose feature it is."`
	Key          Key          `json:"key" doc:"The feature."`
	UserID       user.ID      `json:"user_id,omitzero" doc:"The person whom a value is pinned for."`
	SubjectOrgID workspace.ID `json:"subject_org_id,omitzero" doc:"The workspace that it is pinned for, else."`
	ExpiresAt    time.Time    `json:"expires_at,omitzero" doc:"When rules decide again; absent: never."`
}

// OverrideDeleted is the content of feature_override.deleted.
type OverrideDeleted struct {
	OrgID        workspace.ID `json:"org_id" doc:"The workspace whose feature it is."`
	Key          Key          `json:"key" doc:"The feature."`
	UserID       user.ID      `json:"user_id,omitzero" doc:"The person whom rules decide for again."`
	SubjectOrgID workspace.ID `json:"subject_org_id,omitzero" doc:"The workspace that they decide for again, else."`
}

func (Created) Kind() event.Kind         { return KindCreated }
func (Updated) Kind() event.Kind         { return KindUpdated }
func (Deleted) Kind() event.Kind         { return KindDeleted }
func (OverrideSet) Kind() event.Kind     { return KindOverrideSet }
func (OverrideDeleted) Kind() event.Kind { return KindOverrideDeleted }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
		key    = Key("export.pdf")
	)
	return []event.Definition{
		{Summary: "A feature was defined.", Example: Created{org, key, Bool}},
		{Summary: "Default or rules of a feature changed, or it was switched on or off.", Example: Updated{org, key, []string{"rules"}}},
		{Summary: "A feature was deleted with its overrides.", Example: Deleted{org, key}},
		{Summary: "A value of a feature was pinned for somebody.", Example: OverrideSet{OrgID: org, Key: key, UserID: person}},
		{Summary: "A value of a feature is pinned for somebody no more.", Example: OverrideDeleted{OrgID: org, Key: key, UserID: person}},
	}
}
