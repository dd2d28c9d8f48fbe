package signin

import (
	"context"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
)

// SecondFactors stores the second factors of accounts, inside a unit of work.
type SecondFactors interface {
	// ByUser returns those of an account; one that never had any has none.
	ByUser(ctx context.Context, owner user.ID) (*mfa.Factors, error)
	// Save fails with user.ErrNotFound when the account is gone.
	Save(ctx context.Context, f *mfa.Factors) error
	// HasPasskey reports whether an account has a passkey, which can answer too. Like
	// WaysIn.Left it holds off every other unit that asks, so that the last factor and
	// the last passkey are not taken away at once, each because of the other.
	HasPasskey(ctx context.Context, owner user.ID) (bool, error)
}

// FactorDirectory reads second factors, outside any transaction.
type FactorDirectory interface {
	// Of returns those of an account; one that never had any has none.
	Of(ctx context.Context, owner user.ID) (mfa.Snapshot, error)
}
