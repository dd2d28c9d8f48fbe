package outbound

import (
	"context"
	"sync/atomic"

	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
)

// ActingCredential is the credential that authorized a call. A store takes it from the context of
// every unit of work, and lets the unit write only while the credential is valid: it
// checks inside the transaction, with a lock that makes concurrent revocations wait
// until the transaction ends. One of Session, Key, Token and Grant is set.
type ActingCredential struct {
	Session session.ID
	// Through is the session of who acts as the person of Session; empty if nobody does.
	Through session.ID
	// Key is the digest of the API key.
	Key string
	// Token is the jti of the M2M token.
	Token string
	// Grant is the grant of an access token that acts for a person.
	Grant oauth.GrantID
	// Sources are the grants from which this one derives by token exchange.
	Sources []oauth.GrantID
	// Ends reports whether the call itself ends the credential. It must do so in its
	// last unit of work, since later ones are refused.
	Ends bool
	// Refusal is the error of calls with the credential after it has ended.
	Refusal error

	refused atomic.Bool
}

// Refuse records that the credential has ended, and returns Refusal.
func (a *ActingCredential) Refuse() error {
	a.refused.Store(true)
	return a.Refusal
}

// Refused reports whether a unit of work of the call was refused.
func (a *ActingCredential) Refused() bool { return a != nil && a.refused.Load() }

type actingKey struct{}

// WithActing returns a context whose units of work depend on a credential.
func WithActing(ctx context.Context, by *ActingCredential) context.Context {
	return context.WithValue(ctx, actingKey{}, by)
}

// ActingOf returns the credential in a context; nil for none.
func ActingOf(ctx context.Context) *ActingCredential {
	by, _ := ctx.Value(actingKey{}).(*ActingCredential)
	return by
}
