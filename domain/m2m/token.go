package m2m

import (
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// ErrNotFound is returned if no token has the jti.
var ErrNotFound = fault.New(fault.NotFound, "no M2M token with this jti")

// Issued is a token as stored. It is immutable; its revocation is stored separately.
type Issued struct {
	// JTI names the token: a UUIDv7 in its plain form.
	JTI string
	App app.ID
	// AppVersion is that of the app which the client was authenticated against.
	AppVersion int64
	// Scope is the list of scopes, separated by spaces (RFC 6749 section 3.3).
	Scope    string
	Audience string
	// Epoch and AudienceVersion are those of the audience (resource.Audience); a version
	// of 0 is that of this service itself, which depends on nothing.
	Epoch           int64
	AudienceVersion int64
	// JKT is the thumbprint of the key that the token is bound to (RFC 9449
	// section 6.1); "" for a bearer token.
	JKT       string
	IssuedAt  time.Time
	ExpiresAt time.Time
}

// ListedToken is a token as lists show it.
type ListedToken struct {
	Issued

	// RevokedAt is when it was ended, by itself or with all tokens of its app.
	RevokedAt time.Time
	// Active reports whether the token was live when it was listed (liveness.Token).
	Active bool
}

// Ended is the owner of a revoked token.
type Ended struct {
	App app.ID
	// Org is the app's workspace; empty when the app is gone.
	Org workspace.ID
	// Already reports whether the token had been revoked before.
	Already bool
}
