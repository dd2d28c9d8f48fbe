package signin

import (
	"context"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
)

// SecondFactors stores the second factors of accounts, inside a unit of work.
type SecondFactors interface {
	// ByUser returns the second factors of an account, which may be none.
	ByUser(ctx context.Context, owner user.ID) (*mfa.Factors, error)
	// Save stores the second factors. It fails with user.ErrNotFound if the account no
	// longer exists.
	Save(ctx context.Context, f *mfa.Factors) error
	// HasPasskey reports whether an account has a passkey, which is accepted as a
	// second factor too. Like LoginMethods.Left it blocks concurrent calls, so that the last
	// factor and the last passkey cannot be removed at the same time.
	HasPasskey(ctx context.Context, owner user.ID) (bool, error)
}

// FactorDirectory reads second factors, outside any transaction.
type FactorDirectory interface {
	// Of returns the second factors of an account, which may be none.
	Of(ctx context.Context, owner user.ID) (mfa.Snapshot, error)
}
