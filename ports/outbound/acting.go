package outbound

import (
	"context"
	"sync/atomic"

	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
)

// Acting is the credential that a call was admitted by. A store takes it from the context
// of every unit of work, and lets the unit write only as long as the credential stands:
// it looks inside the transaction, in a way that makes whoever ends the credential wait
// until the transaction has ended. One of Session, Key, Token and Grant is set.
type Acting struct {
	Session session.ID
	// Key is the digest of the API key that was presented.
	Key string
	// Token is the jti of the M2M token that was presented.
	Token string
	// Grant is that of the token which a client presented for a person.
	Grant oauth.GrantID
	// Sources are the grants that this one came from by exchanges.
	Sources []oauth.GrantID
	// Ends says that the call is to end the credential itself. It does so in its last
	// unit of work, for those that come after it are refused.
	Ends bool
	// Refusal is what the next call by the credential is answered, once that has ended.
	Refusal error

	refused atomic.Bool
}

// Refuse notes that the credential has ended and returns Refusal.
func (a *Acting) Refuse() error {
	a.refused.Store(true)
	return a.Refusal
}

// Refused reports whether a unit of work of the call was refused.
func (a *Acting) Refused() bool { return a != nil && a.refused.Load() }

type actingKey struct{}

// WithActing returns a context whose units of work are those of a credential.
func WithActing(ctx context.Context, by *Acting) context.Context {
	return context.WithValue(ctx, actingKey{}, by)
}

// ActingOf returns the credential that a context carries; nil for none.
func ActingOf(ctx context.Context) *Acting {
	by, _ := ctx.Value(actingKey{}).(*Acting)
	return by
}
