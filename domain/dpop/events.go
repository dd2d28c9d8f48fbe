package dpop

import (
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of bindings.
const (
	KindRegistered event.Kind = "dpop_binding.registered"
	KindRevoked    event.Kind = "dpop_binding.revoked"
)

// BindingRegistered is the content of dpop_binding.registered.
type BindingRegistered struct {
	BindingID  ID           `json:"binding_id" doc:"ID of the new binding."`
	UserID     user.ID      `json:"user_id,omitzero" doc:"ID of the user who owns the key. Absent if an app owns it."`
	AppID      app.ID       `json:"app_id,omitzero" doc:"ID of the app that owns the key. Absent if a user owns it."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace that the owner acts in."`
	Thumbprint string       `json:"thumbprint" doc:"SHA-256 thumbprint of the key (RFC 7638)."`
	ExpiresAt  time.Time    `json:"expires_at" doc:"Time until which tokens can be bound to the key."`
}

// BindingRevoked is the content of dpop_binding.revoked.
type BindingRevoked struct {
	BindingID  ID           `json:"binding_id" doc:"ID of the revoked binding."`
	UserID     user.ID      `json:"user_id,omitzero" doc:"ID of the user who owned the key. Absent if an app owned it."`
	AppID      app.ID       `json:"app_id,omitzero" doc:"ID of the app that owned the key. Absent if a user owned it."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace that the owner acts in."`
	Thumbprint string       `json:"thumbprint" doc:"SHA-256 thumbprint of the key (RFC 7638)."`
}

func (BindingRegistered) Kind() event.Kind { return KindRegistered }
func (BindingRevoked) Kind() event.Kind    { return KindRevoked }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		binding    = ID("dpk_01jd7x9k2mf3q8v5t0abcdefgh")
		person     = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
		machine    = app.ID("0193c1a2-7b1e-7c3d-9a5f-0123456789ab")
		org        = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
	)
	until := time.Date(2026, 12, 21, 10, 0, 0, 0, time.UTC)
	return []event.Definition{
		{Summary: "A user or an app registered a public key to bind tokens to.", Example: BindingRegistered{
			BindingID: binding, AppID: machine, OrgID: org, Thumbprint: thumbprint, ExpiresAt: until,
		}},
		{Summary: "A registered public key was revoked. Its ID can no longer be used to bind tokens.", Example: BindingRevoked{
			BindingID: binding, UserID: person, OrgID: org, Thumbprint: thumbprint,
		}},
	}
}
