package m2m

import (
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of M2M tokens.
const (
	KindIssued  event.Kind = "m2m_token.issued"
	KindRevoked event.Kind = "m2m_token.revoked"
)

// IssuedData is the content of m2m_token.issued.
type IssuedData struct {
	JTI        string       `json:"jti" doc:"ID of the token."`
	AppID      app.ID       `json:"app_id" doc:"ID of the app the token was issued to."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	ScopeCount int          `json:"scope_count" doc:"Number of scopes of the token."`
	DPoP       bool         `json:"dpop" doc:"Whether the token is bound to a key (RFC 9449)."`
}

// RevokedData is the content of m2m_token.revoked.
type RevokedData struct {
	AppID app.ID       `json:"app_id" doc:"ID of the app whose tokens were revoked."`
	OrgID workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace that owns the app. Absent if the app was deleted."`
	JTI   string       `json:"jti,omitzero" doc:"ID of the token. Only if a single token was revoked."`
	Count int          `json:"count" doc:"Number of active tokens that were revoked."`
}

func (IssuedData) Kind() event.Kind  { return KindIssued }
func (RevokedData) Kind() event.Kind { return KindRevoked }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		jti = "0193c1a2-7b1e-7c3d-9a5f-abcdef012345"
		of  = app.ID("0193c1a2-7b1e-7c3d-9a5f-0123456789ab")
		org = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "An access token was issued to an app.", Example: IssuedData{jti, of, org, 2, false}},
		{Summary: "Access tokens of an app were revoked before they expired.", Example: RevokedData{of, org, jti, 1}},
	}
}
