package user

import (
	"time"

	"gatehouse.internal/domain/event"
)

// Kinds of events of accounts.
const (
	KindCreated           event.Kind = "user.created"
	KindUpdated           event.Kind = "user.updated"
	KindDeleted           event.Kind = "user.deleted"
	KindDisabled          event.Kind = "user.disabled"
	KindEnabled           event.Kind = "user.enabled"
	KindSuperadminChanged event.Kind = "user.superadmin_changed"
	KindMerged            event.Kind = "user.merged"
)

// Created is the content of user.created.
type Created struct {
	UserID ID `json:"user_id" doc:"ID of the new account."`
}

// Updated is the content of user.updated.
type Updated struct {
	UserID  ID       `json:"user_id" doc:"ID of the account."`
	Changed []string `json:"changed" doc:"Names of the changed fields."`
}

// Deleted is the content of user.deleted.
type Deleted struct {
	UserID ID `json:"user_id" doc:"ID of the deleted account."`
}

// Merged is the content of user.merged.
type Merged struct {
	SourceUserID ID `json:"source_user_id" doc:"ID of the account that was merged and deleted."`
	TargetUserID ID `json:"target_user_id" doc:"ID of the account that was kept."`
}

// WasDisabled is the content of user.disabled.
type WasDisabled struct {
	UserID ID        `json:"user_id" doc:"ID of the account."`
	Reason string    `json:"reason,omitzero" doc:"Reason given by the administrator."`
	Until  time.Time `json:"until,omitzero" doc:"When the account is enabled again. Omitted if it stays disabled until USER.ENABLE."`
}

// Enabled is the content of user.enabled.
type Enabled struct {
	UserID ID `json:"user_id" doc:"ID of the account."`
}

// SuperadminChanged is the content of user.superadmin_changed.
type SuperadminChanged struct {
	UserID     ID   `json:"user_id" doc:"ID of the account."`
	Superadmin bool `json:"is_superadmin" doc:"Whether the account is now a superadmin."`
}

func (Created) Kind() event.Kind           { return KindCreated }
func (Updated) Kind() event.Kind           { return KindUpdated }
func (Deleted) Kind() event.Kind           { return KindDeleted }
func (WasDisabled) Kind() event.Kind       { return KindDisabled }
func (Enabled) Kind() event.Kind           { return KindEnabled }
func (SuperadminChanged) Kind() event.Kind { return KindSuperadminChanged }
func (Merged) Kind() event.Kind            { return KindMerged }

func (e Merged) Concerns() event.Concern { return event.Concern{UserID: e.TargetUserID.String()} }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const example = ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	return append([]event.Definition{
		{Summary: "An account was created.", Example: Created{example}},
		{Summary: "A profile was updated.", Example: Updated{example, []string{"display_name"}}},
		{Summary: "An account was deleted.", Example: Deleted{example}},
		{Summary: "An account was disabled.", Example: WasDisabled{UserID: example, Reason: "left the company"}},
		{Summary: "A disabled account was enabled.", Example: Enabled{example}},
		{Summary: "Superadmin rights were granted or revoked.", Example: SuperadminChanged{example, true}},
		{Summary: "An account was merged into another account and deleted.", Example: Merged{"usr_01jd7x9k2mf3q8v5t0abcdefgj", example}},
	}, addressEvents(example)...)
}
