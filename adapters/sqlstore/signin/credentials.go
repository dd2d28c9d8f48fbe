package signin

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// Credentials returns the passwords.
func Credentials(tx *sqlstore.Tx) signin.Credentials { return credentials{tx} }

type credentials struct{ tx *sqlstore.Tx }

// ByUser reads the credential of an account.
func (r credentials) ByUser(ctx context.Context, owner user.ID) (*credential.Credential, error) {
	var found struct {
		Hash        string           `db:"hash"`
		SetAt       sqlstore.Instant `db:"set_at"`
		Failures    string           `db:"failures"`
		LockedUntil sqlstore.Instant `db:"locked_until"`
		Version     int64            `db:"version"`
	}
	err := r.tx.One(ctx, &found, user.ErrNotFound, `
		SELECT hash, set_at, failures, locked_until, version FROM credentials WHERE user_id = ?`, owner.String())
	if err != nil {
		return nil, err
	}
	failures, err := sqlstore.DecodeList[time.Time](found.Failures)
	if err != nil {
		return nil, fmt.Errorf("decode the failures of a credential: %w", err)
	}
	return credential.Restore(credential.Snapshot{
		UserID: owner, Hash: found.Hash, SetAt: found.SetAt.Time, Failures: failures, LockedUntil: found.LockedUntil.Time,
	}, found.Version), nil
}

// Save stores a credential.
func (r credentials) Save(ctx context.Context, c *credential.Credential) error {
	snapshot := c.Snapshot()
	failures, err := sqlstore.EncodeList(snapshot.Failures)
	if err != nil {
		return fmt.Errorf("encode the failures of a credential: %w", err)
	}
	return r.tx.Save(ctx, "credentials", sqlstore.Row{{"user_id", snapshot.UserID.String()}}, sqlstore.Row{
		{"hash", snapshot.Hash},
		{"form", password.Form(snapshot.Hash)},
		{"set_at", sqlstore.At(snapshot.SetAt)},
		{"failures", failures},
		{"locked_until", sqlstore.At(snapshot.LockedUntil)},
	}, c)
}
