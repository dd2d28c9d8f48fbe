package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Credentials gives the passwords.
func (t *Tx) Credentials() outbound.Credentials { return credentials{t} }

type credentials struct{ tx *Tx }

// ByUser reads the credential of an account.
func (r credentials) ByUser(ctx context.Context, owner user.ID) (*credential.Credential, error) {
	var found struct {
		Hash        string  `db:"hash"`
		SetAt       instant `db:"set_at"`
		Failures    string  `db:"failures"`
		LockedUntil instant `db:"locked_until"`
		Version     int64   `db:"version"`
	}
	err := r.tx.q.get(ctx, &found, `
		SELECT hash, set_at, failures, locked_until, version FROM credentials WHERE user_id = ?`, owner.String())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, user.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a credential: %w", err)
	}
	failures, err := decodeList[time.Time](found.Failures)
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
	failures, err := encodeList(snapshot.Failures)
	if err != nil {
		return fmt.Errorf("encode the failures of a credential: %w", err)
	}
	err = r.tx.save(ctx, "credentials", row{{"user_id", snapshot.UserID.String()}}, row{
		{"hash", snapshot.Hash},
		{"set_at", at(snapshot.SetAt)},
		{"failures", failures},
		{"locked_until", at(snapshot.LockedUntil)},
	}, c)
	if err != nil {
		return fmt.Errorf("save a credential: %w", err)
	}
	return nil
}
