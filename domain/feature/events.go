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
	OrgID workspace.ID `json:"org_id" doc:"Workspace that owns the feature."`
	Key   Key          `json:"key" doc:"Key of the new feature."`
	Type  Type         `json:"type" doc:"Type of the feature's values."`
}

// Updated is the content of feature.updated.
type Updated struct {
	OrgID   workspace.ID `json:"org_id" doc:"Workspace that owns the feature."`
	Key     Key          `json:"key" doc:"Key of the feature."`
	Changed []string     `json:"changed" doc:"Names of the changed fields."`
}

// Deleted is the content of feature.deleted.
type Deleted struct {
	OrgID workspace.ID `json:"org_id" doc:"Workspace that owned the feature."`
	Key   Key          `json:"key" doc:"Key of the deleted feature. Its overrides were deleted too."`
}

// OverrideSet is the content of feature_override.set.
type OverrideSet struct {
	OrgID        workspace.ID `json:"org_id" doc:"Workspace that owns the feature."`
	Key          Key          `json:"key" doc:"Key of the feature."`
	UserID       user.ID      `json:"user_id,omitzero" doc:"Account that the override is for. Omitted if the override is for a workspace."`
	SubjectOrgID workspace.ID `json:"subject_org_id,omitzero" doc:"Workspace that the override is for. Omitted if the override is for an account."`
	ExpiresAt    time.Time    `json:"expires_at,omitzero" doc:"Time at which the override expires. Omitted if it never expires."`
}

// OverrideDeleted is the content of feature_override.deleted.
type OverrideDeleted struct {
	OrgID        workspace.ID `json:"org_id" doc:"Workspace that owns the feature."`
	Key          Key          `json:"key" doc:"Key of the feature."`
	UserID       user.ID      `json:"user_id,omitzero" doc:"Account that the override was for. Omitted if the override was for a workspace."`
	SubjectOrgID workspace.ID `json:"subject_org_id,omitzero" doc:"Workspace that the override was for. Omitted if the override was for an account."`
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
		{Summary: "A feature was created.", Example: Created{org, key, Bool}},
		{Summary: "A feature was updated, enabled or disabled.", Example: Updated{org, key, []string{"rules"}}},
		{Summary: "A feature and its overrides were deleted.", Example: Deleted{org, key}},
		{Summary: "An override of a feature was set.", Example: OverrideSet{OrgID: org, Key: key, UserID: person}},
		{Summary: "An override of a feature was deleted.", Example: OverrideDeleted{OrgID: org, Key: key, UserID: person}},
	}
}
