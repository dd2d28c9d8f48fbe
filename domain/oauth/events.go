package oauth

import (
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of clients that act for people.
const (
	KindCodeIssued  event.Kind = "oauth_code.issued"
	KindTokenIssued event.Kind = "oauth_token.issued" //nolint:gosec // a kind of event
	KindRevoked     event.Kind = "oauth_token.revoked"

	KindConsentGranted event.Kind = "oauth_consent.granted"
	KindConsentDenied  event.Kind = "oauth_consent.denied"
	KindConsentRevoked event.Kind = "oauth_consent.revoked"

	KindDeviceApproved event.Kind = "oauth_device.approved"
	KindDeviceDenied   event.Kind = "oauth_device.denied"
)

// The ways in which a client obtained tokens, in oauth_token.issued.
const (
	GrantByCode    = "authorization_code"
	GrantByRefresh = "refresh_token"
	GrantByDevice  = "device_code"
	// GrantByExchange is RFC 8693.
	GrantByExchange = "token_exchange"
)

// CodeIssued is the content of oauth_code.issued.
type CodeIssued struct {
	GrantID GrantID      `json:"grant_id" doc:"ID of the grant that the code redeems."`
	AppID   app.ID       `json:"app_id" doc:"ID of the client."`
	UserID  user.ID      `json:"user_id" doc:"ID of the person who consented."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace that the person acted in."`
	Scopes  []string     `json:"scopes" doc:"Scopes granted to the client."`
}

// TokenIssued is the content of oauth_token.issued.
type TokenIssued struct {
	GrantID  GrantID      `json:"grant_id" doc:"ID of the grant that the tokens belong to."`
	AppID    app.ID       `json:"app_id" doc:"ID of the client."`
	UserID   user.ID      `json:"user_id" doc:"ID of the person the client acts for."`
	OrgID    workspace.ID `json:"org_id" doc:"ID of the workspace that the person acted in."`
	Scopes   []string     `json:"scopes" doc:"Scopes of the grant."`
	By       string       `json:"by" doc:"How the client obtained the tokens: authorization_code, refresh_token, device_code or token_exchange."`
	SourceID GrantID      `json:"source_grant_id,omitzero" doc:"ID of the grant whose token was exchanged (RFC 8693). Only for a token exchange."`
}

// RevokedData is the content of oauth_token.revoked.
type RevokedData struct {
	JTI     string       `json:"jti,omitzero" doc:"ID of the token. Only if the client acted for itself."`
	GrantID GrantID      `json:"grant_id,omitzero" doc:"ID of the grant that was revoked with all its tokens. Only if the client acted for a person."`
	AppID   app.ID       `json:"app_id" doc:"ID of the client."`
	UserID  user.ID      `json:"user_id,omitzero" doc:"ID of the person the client acted for. Absent if it acted for itself."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace of the client or, for a grant, of the workspace that the person acted in."`
	Reason  string       `json:"reason,omitzero" doc:"Reason a grant was revoked: code_reuse, refresh_reuse, revoked_by_client, consent_revoked. More reasons may be added."`
}

// ConsentGranted is the content of oauth_consent.granted.
type ConsentGranted struct {
	UserID user.ID      `json:"user_id" doc:"ID of the person who consented."`
	AppID  app.ID       `json:"app_id" doc:"ID of the client."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that the person acted in."`
	Scopes []string     `json:"scopes" doc:"All scopes the person has consented to so far."`
}

// ConsentDenied is the content of oauth_consent.denied.
type ConsentDenied struct {
	UserID user.ID      `json:"user_id" doc:"ID of the person who denied the request."`
	AppID  app.ID       `json:"app_id" doc:"ID of the client."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that the person acted in."`
	Scopes []string     `json:"scopes" doc:"Requested scopes."`
}

// ConsentRevoked is the content of oauth_consent.revoked.
type ConsentRevoked struct {
	UserID user.ID      `json:"user_id" doc:"ID of the person who revoked the access."`
	AppID  app.ID       `json:"app_id" doc:"ID of the client."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that the person acted in when they consented."`
}

// DeviceWasApproved is the content of oauth_device.approved.
type DeviceWasApproved struct {
	GrantID GrantID      `json:"grant_id" doc:"ID of the grant that the device redeems."`
	AppID   app.ID       `json:"app_id" doc:"ID of the client on the device."`
	UserID  user.ID      `json:"user_id" doc:"ID of the person who approved the request."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace that the person acted in."`
	Scopes  []string     `json:"scopes" doc:"Scopes granted to the client."`
}

// DeviceWasDenied is the content of oauth_device.denied.
type DeviceWasDenied struct {
	AppID  app.ID       `json:"app_id" doc:"ID of the client on the device."`
	UserID user.ID      `json:"user_id" doc:"ID of the person who denied the request."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that the person acted in."`
	Scopes []string     `json:"scopes" doc:"Requested scopes."`
}

func (DeviceWasApproved) Kind() event.Kind { return KindDeviceApproved }
func (DeviceWasDenied) Kind() event.Kind   { return KindDeviceDenied }

func (ConsentGranted) Kind() event.Kind { return KindConsentGranted }
func (ConsentDenied) Kind() event.Kind  { return KindConsentDenied }
func (ConsentRevoked) Kind() event.Kind { return KindConsentRevoked }

func (CodeIssued) Kind() event.Kind  { return KindCodeIssued }
func (TokenIssued) Kind() event.Kind { return KindTokenIssued }
func (RevokedData) Kind() event.Kind { return KindRevoked }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		app    = "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"
		org    = "org_01jd7x9k2mf3q8v5t0abcdefgh"
		person = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
		grant  = "grt_01jd7x9k2mf3q8v5t0abcdefgh"
	)
	scopes := []string{"openid", "profile"}
	return []event.Definition{
		{
			Summary: "An authorization code was issued to a client.",
			Example: CodeIssued{GrantID: grant, AppID: app, UserID: person, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "Tokens that act for a person were issued to a client.",
			Example: TokenIssued{GrantID: grant, AppID: app, UserID: person, OrgID: org, Scopes: scopes, By: GrantByCode},
		},
		{
			Summary: "A person consented to scopes of a client.",
			Example: ConsentGranted{UserID: person, AppID: app, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A person denied an authorization request of a client.",
			Example: ConsentDenied{UserID: person, AppID: app, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A person revoked a client's access to their account, and its tokens were revoked.",
			Example: ConsentRevoked{UserID: person, AppID: app, OrgID: org},
		},
		{
			Summary: "A person approved the sign-in of a device without a browser.",
			Example: DeviceWasApproved{GrantID: grant, AppID: app, UserID: person, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A person denied the sign-in of a device without a browser.",
			Example: DeviceWasDenied{AppID: app, UserID: person, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A token of a client was revoked before it expired (RFC 7009), or a grant was revoked with all its tokens.",
			Example: RevokedData{GrantID: grant, AppID: app, UserID: person, OrgID: org, Reason: ByClient},
		},
	}
}
