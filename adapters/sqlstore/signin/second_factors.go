package signin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// SecondFactors returns the second factors.
func SecondFactors(tx *sqlstore.Tx) signin.SecondFactors { return secondFactors{tx} }

type secondFactors struct{ tx *sqlstore.Tx }

// FactorDirectory reads the second factors.
func FactorDirectory(store *sqlstore.Store) signin.FactorDirectory { return factorDirectory{store} }

type factorDirectory struct{ store *sqlstore.Store }

// Of reads the factors of an account.
func (d factorDirectory) Of(ctx context.Context, owner user.ID) (mfa.Snapshot, error) {
	found, err := factorsOf(ctx, d.store, d.store.Reader(ctx), owner)
	if err != nil {
		return mfa.Snapshot{}, err
	}
	return found.Snapshot(), nil
}

// ByUser reads the factors of an account.
func (r secondFactors) ByUser(ctx context.Context, owner user.ID) (*mfa.Factors, error) {
	return factorsOf(ctx, r.tx.Store(), r.tx.Queries, owner)
}

func factorsOf(ctx context.Context, store *sqlstore.Store, q *sqlstore.Queries, owner user.ID) (*mfa.Factors, error) {
	var found struct {
		Content string `db:"content"`
		Version int64  `db:"version"`
	}
	err := q.Get(ctx, &found, `SELECT content, version FROM second_factors WHERE user_id = ?`, owner.String())
	if errors.Is(err, sql.ErrNoRows) {
		return mfa.None(owner), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read second factors: %w", err)
	}
	return store.SecondFactors(owner, found.Content, found.Version)
}

// Save stores the factors of an account. For the first ones it locks the row of the account, and fails with
// user.ErrNotFound if that was deleted.
func (r secondFactors) Save(ctx context.Context, f *mfa.Factors) error {
	snapshot := f.Snapshot()
	owner := snapshot.UserID.String()
	if f.Version() == 0 {
		var held []string
		if err := r.tx.List(ctx, &held, `SELECT id FROM users WHERE id = ? {for update}`, owner); err != nil {
			return fmt.Errorf("lock an account: %w", err)
		}
		if len(held) == 0 {
			return user.ErrNotFound
		}
	}
	content, err := json.Marshal(snapshot, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode second factors: %w", err)
	}
	sealed := r.tx.Store().Personal().Seal(string(content), sqlstore.Place("second_factors", "content", owner))
	state := sqlstore.Row{{"content", sealed}, {"locked_until", sqlstore.At(snapshot.LockedUntil)}}
	if err := r.tx.Save(ctx, "second_factors", sqlstore.Row{{"user_id", owner}}, state, f); err != nil {
		return fmt.Errorf("save second factors: %w", err)
	}
	return nil
}

// HasPasskey reports whether a user has a passkey, under a lock of the row of the account.
func (r secondFactors) HasPasskey(ctx context.Context, owner user.ID) (bool, error) {
	if err := people.LockAccount(ctx, r.tx, owner); err != nil {
		return false, err
	}
	var found []int
	if err := r.tx.List(ctx, &found, `SELECT 1 FROM passkeys WHERE user_id = ? LIMIT 1`, owner.String()); err != nil {
		return false, fmt.Errorf("look for a passkey: %w", err)
	}
	return len(found) > 0, nil
}
