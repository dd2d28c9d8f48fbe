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
	GrantID GrantID      `json:"grant_id" doc:"The grant that the code redeems."`
	AppID   app.ID       `json:"app_id" doc:"The client."`
	UserID  user.ID      `json:"user_id" doc:"Who let it in."`
	OrgID   workspace.ID `json:"org_id" doc:"The workspace that the person acted in."`
	Scopes  []string     `json:"scopes" doc:"What the client was let have."`
}

// TokenIssued is the content of oauth_token.issued.
type TokenIssued struct {
	GrantID  GrantID      `json:"grant_id" doc:"The grant that the tokens belong to."`
	AppID    app.ID       `json:"app_id" doc:"The client."`
	UserID   user.ID      `json:"user_id" doc:"For whom it acts."`
	OrgID    workspace.ID `json:"org_id" doc:"The workspace that the person acted in."`
	Scopes   []string     `json:"scopes" doc:"The scopes of the grant."`
	By       string       `json:"by" doc:"What the client sent for them: authorization_code, refresh_token, device_code or token_exchange."`
	SourceID GrantID      `json:"source_grant_id,omitzero" doc:"The grant whose token was exchanged, where one was (RFC 8693)."`
}

// RevokedData is the content of oauth_token.revoked.
type RevokedData struct {
	JTI     string       `json:"jti,omitzero" doc:"The token, where it was one of the client's own."`
	GrantID GrantID      `json:"grant_id,omitzero" doc:"The grant that ended with all its tokens, where the client acted for a person."`
	AppID   app.ID       `json:"app_id" doc:"The client."`
	UserID  user.ID      `json:"user_id,omitzero" doc:"For whom it acted, if for anybody."`
	OrgID   workspace.ID `json:"org_id" doc:"The client's workspace; of a grant, that which the person acted in."`
	Reason  string       `json:"reason,omitzero" doc:"Why a grant ended: code_reuse, refresh_reuse, revoked_by_client, consent_revoked, and others to come."`
}

// ConsentGranted is the content of oauth_consent.granted.
type ConsentGranted struct {
	UserID user.ID      `json:"user_id" doc:"Who agreed."`
	AppID  app.ID       `json:"app_id" doc:"The client."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace that the person acted in."`
	Scopes []string     `json:"scopes" doc:"All that the client may have by now."`
}

// ConsentDenied is the content of oauth_consent.denied.
type ConsentDenied struct {
	UserID user.ID      `json:"user_id" doc:"Who refused."`
	AppID  app.ID       `json:"app_id" doc:"The client."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace that the person acted in."`
	Scopes []string     `json:"scopes" doc:"What it asked for."`
}

// ConsentRevoked is the content of oauth_consent.revoked.
type ConsentRevoked struct {
	UserID user.ID      `json:"user_id" doc:"Who shut the client out."`
	AppID  app.ID       `json:"app_id" doc:"The client."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace that the person acted in when they let it in."`
}

// DeviceLetIn is the content of oauth_device.approved.
type DeviceLetIn struct {
	GrantID GrantID      `json:"grant_id" doc:"The grant that the device redeems."`
	AppID   app.ID       `json:"app_id" doc:"The client on the device."`
	UserID  user.ID      `json:"user_id" doc:"Who let it in."`
	OrgID   workspace.ID `json:"org_id" doc:"The workspace that the person acted in."`
	Scopes  []string     `json:"scopes" doc:"What the client was let have."`
}

// DeviceRefused is the content of oauth_device.denied.
type DeviceRefused struct {
	AppID  app.ID       `json:"app_id" doc:"The client on the device."`
	UserID user.ID      `json:"user_id" doc:"Who refused."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace that the person acted in."`
	Scopes []string     `json:"scopes" doc:"What it asked for."`
}

func (DeviceLetIn) Kind() event.Kind   { return KindDeviceApproved }
func (DeviceRefused) Kind() event.Kind { return KindDeviceDenied }

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
			Summary: "A person let a client in, which was given an authorization code.",
			Example: CodeIssued{GrantID: grant, AppID: app, UserID: person, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A client was given tokens of a person.",
			Example: TokenIssued{GrantID: grant, AppID: app, UserID: person, OrgID: org, Scopes: scopes, By: GrantByCode},
		},
		{
			Summary: "A person agreed that a client may have something.",
			Example: ConsentGranted{UserID: person, AppID: app, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A person let a client have nothing.",
			Example: ConsentDenied{UserID: person, AppID: app, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A person shut a client out of their account; its tokens ended.",
			Example: ConsentRevoked{UserID: person, AppID: app, OrgID: org},
		},
		{
			Summary: "A person let a device in that has no browser.",
			Example: DeviceLetIn{GrantID: grant, AppID: app, UserID: person, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A person refused a device that has no browser.",
			Example: DeviceRefused{AppID: app, UserID: person, OrgID: org, Scopes: scopes},
		},
		{
			Summary: "A token of a client ended before its time (RFC 7009), or a grant with all its tokens.",
			Example: RevokedData{GrantID: grant, AppID: app, UserID: person, OrgID: org, Reason: ByClient},
		},
	}
}
