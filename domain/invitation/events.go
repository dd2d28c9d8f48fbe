package invitation

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of invitations.
const (
	KindCreated  event.Kind = "invitation.created"
	KindResent   event.Kind = "invitation.resent"
	KindAccepted event.Kind = "invitation.accepted"
	KindRevoked  event.Kind = "invitation.revoked"
)

// Reason is why an invitation was taken back.
type Reason string

// The reasons.
const (
	ByHand Reason = "revoked"
	// ByDemotion is that its sender could not offer it any more.
	ByDemotion Reason = "sender_lost_role"
)

// SchemaFragment describes the reason in a JSON Schema.
func (Reason) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(ByHand), string(ByDemotion)}}
}

// Created is the content of invitation.created, without the address.
type Created struct {
	InvitationID ID           `json:"invitation_id" doc:"ID of the invitation. TEAM.INVITATION_LIST shows its address."`
	OrgID        workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Role         string       `json:"role" doc:"Offered role: the name of a built-in role, or the ID of a custom role."`
	InvitedBy    user.ID      `json:"invited_by,omitzero" doc:"ID of the user who sent the invitation. Omitted if an app sent it."`
}

// Resent is the content of invitation.resent.
type Resent struct {
	InvitationID ID           `json:"invitation_id" doc:"ID of the invitation. The link of the previous email stopped working."`
	OrgID        workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Role         string       `json:"role" doc:"Offered role: the name of a built-in role, or the ID of a custom role."`
	InvitedBy    user.ID      `json:"invited_by,omitzero" doc:"ID of the user who sent the invitation again. Omitted if an app sent it."`
}

// WasAccepted is the content of invitation.accepted.
type WasAccepted struct {
	InvitationID ID           `json:"invitation_id" doc:"ID of the invitation."`
	OrgID        workspace.ID `json:"org_id" doc:"ID of the workspace."`
	UserID       user.ID      `json:"user_id" doc:"ID of the user who accepted the invitation."`
	Role         string       `json:"role" doc:"Offered role: the name of a built-in role, or the ID of a custom role."`
}

// WasRevoked is the content of invitation.revoked.
type WasRevoked struct {
	InvitationID ID           `json:"invitation_id" doc:"ID of the invitation."`
	OrgID        workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Reason       Reason       `json:"reason" doc:"Reason: revoked by someone, or sender_lost_role if the sender could no longer offer the role when the invitation was to be accepted."`
}

func (Created) Kind() event.Kind     { return KindCreated }
func (Resent) Kind() event.Kind      { return KindResent }
func (WasAccepted) Kind() event.Kind { return KindAccepted }
func (WasRevoked) Kind() event.Kind  { return KindRevoked }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		one    = ID("inv_01jd7x9k2mf3q8v5t0abcdefgh")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "An email address was invited to a workspace.", Example: Created{one, org, "member", person}},
		{Summary: "An invitation was sent again with a new token.", Example: Resent{one, org, "member", person}},
		{Summary: "An invitation was accepted.", Example: WasAccepted{one, org, person, "member"}},
		{Summary: "An invitation was revoked.", Example: WasRevoked{one, org, ByHand}},
	}
}
