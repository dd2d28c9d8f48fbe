package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// SecondFactors gives the second factors.
func (t *Tx) SecondFactors() outbound.SecondFactors { return secondFactors{t} }

type secondFactors struct{ tx *Tx }

// FactorDirectory reads the second factors.
func (s *Store) FactorDirectory() outbound.FactorDirectory { return factorDirectory{s} }

type factorDirectory struct{ store *Store }

// Of reads the factors of an account.
func (d factorDirectory) Of(ctx context.Context, owner user.ID) (mfa.Snapshot, error) {
	found, err := d.store.factorsOf(ctx, d.store.reader(ctx), owner)
	if err != nil {
		return mfa.Snapshot{}, err
	}
	return found.Snapshot(), nil
}

// ByUser reads the factors of an account.
func (r secondFactors) ByUser(ctx context.Context, owner user.ID) (*mfa.Factors, error) {
	return r.tx.store.factorsOf(ctx, r.tx.q, owner)
}

func (s *Store) factorsOf(ctx context.Context, q *queries, owner user.ID) (*mfa.Factors, error) {
	var found struct {
		Content string `db:"content"`
		Version int64  `db:"version"`
	}
	err := q.get(ctx, &found, `SELECT content, version FROM second_factors WHERE user_id = ?`, owner.String())
	if errors.Is(err, sql.ErrNoRows) {
		return mfa.None(owner), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read second factors: %w", err)
	}
	return s.factors(owner, found.Content, found.Version)
}

// factors opens stored factors.
func (s *Store) factors(owner user.ID, stored string, version int64) (*mfa.Factors, error) {
	content, err := s.personal.Open(stored, place("second_factors", "content", owner.String()))
	if err != nil {
		return nil, fmt.Errorf("open second factors: %w", err)
	}
	snapshot := mfa.Snapshot{UserID: owner}
	if err := json.Unmarshal([]byte(content), &snapshot); err != nil {
		return nil, fmt.Errorf("decode second factors: %w", err)
	}
	return mfa.Restore(snapshot, version), nil
}

// Save stores the factors of an account. The first ones find its row locked, or
// gone; later ones find theirs gone with it.
func (r secondFactors) Save(ctx context.Context, f *mfa.Factors) error {
	snapshot := f.Snapshot()
	owner := snapshot.UserID.String()
	if f.Version() == 0 {
		var held []string
		if err := r.tx.q.list(ctx, &held, `SELECT id FROM users WHERE id = ? {for update}`, owner); err != nil {
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
	sealed := r.tx.store.personal.Seal(string(content), place("second_factors", "content", owner))
	state := row{{"content", sealed}, {"locked_until", at(snapshot.LockedUntil)}}
	if err := r.tx.save(ctx, "second_factors", row{{"user_id", owner}}, state, f); err != nil {
		return fmt.Errorf("save second factors: %w", err)
	}
	return nil
}

// HasPasskey looks for one under a lock of the user's row.
func (r secondFactors) HasPasskey(ctx context.Context, owner user.ID) (bool, error) {
	if err := r.tx.lockAccount(ctx, owner); err != nil {
		return false, err
	}
	var found []int
	if err := r.tx.q.list(ctx, &found, `SELECT 1 FROM passkeys WHERE user_id = ? LIMIT 1`, owner.String()); err != nil {
		return false, fmt.Errorf("look for a passkey: %w", err)
	}
	return len(found) > 0, nil
}
