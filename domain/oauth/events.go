package oauth

import (
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// KindRevoked is the kind of RevokedData.
const KindRevoked event.Kind = "oauth_token.revoked"

// RevokedData is the content of oauth_token.revoked.
type RevokedData struct {
	JTI   string       `json:"jti" doc:"The token."`
	AppID app.ID       `json:"app_id" doc:"The client, whose own token it was."`
	OrgID workspace.ID `json:"org_id" doc:"The client's workspace."`
}

func (RevokedData) Kind() event.Kind { return KindRevoked }

func (e RevokedData) Concerns() event.Concern { return event.Concern{OrgID: e.OrgID.String()} }

// Events describes the kinds of this package for the catalogue.
func Events() []event.Definition {
	return []event.Definition{{
		Summary: "A client revoked one of its own tokens (RFC 7009).",
		Example: RevokedData{
			JTI:   "0193c1a2-7b1e-7c3d-9a5f-abcdef012345",
			AppID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab",
			OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh",
		},
	}}
}
