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
	BindingID  ID           `json:"binding_id" doc:"The new binding."`
	UserID     user.ID      `json:"user_id,omitzero" doc:"Whose key it is, when it is a user's."`
	AppID      app.ID       `json:"app_id,omitzero" doc:"Whose key it is, when it is an app's."`
	OrgID      workspace.ID `json:"org_id" doc:"The workspace in which the owner acts."`
	Thumbprint string       `json:"thumbprint" doc:"SHA-256 thumbprint of the key (RFC 7638)."`
	ExpiresAt  time.Time    `json:"expires_at" doc:"Until when tokens may be bound to it."`
}

// BindingRevoked is the content of dpop_binding.revoked.
type BindingRevoked struct {
	BindingID  ID           `json:"binding_id" doc:"The binding that ended."`
	UserID     user.ID      `json:"user_id,omitzero" doc:"Whose key it was, when it was a user's."`
	AppID      app.ID       `json:"app_id,omitzero" doc:"Whose key it was, when it was an app's."`
	OrgID      workspace.ID `json:"org_id" doc:"The workspace in which the owner acts."`
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
		{Summary: "A user or an app registered a public key, to bind tokens to it.", Example: BindingRegistered{
			BindingID: binding, AppID: machine, OrgID: org, Thumbprint: thumbprint, ExpiresAt: until,
		}},
		{Summary: "A registered public key was revoked: no more tokens are bound to it by name.", Example: BindingRevoked{
			BindingID: binding, UserID: person, OrgID: org, Thumbprint: thumbprint,
		}},
	}
}
