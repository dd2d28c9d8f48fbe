package signin

import (
	"context"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/user"
)

// Credentials stores passwords and failure counters, inside a unit of work.
type Credentials interface {
	// ByUser returns the credential of an account. It fails with user.ErrNotFound.
	ByUser(ctx context.Context, owner user.ID) (*credential.Credential, error)
	Save(ctx context.Context, c *credential.Credential) error
}
