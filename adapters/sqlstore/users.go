package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Users gives the accounts.
func (t *Tx) Users() outbound.Users { return users{t} }

type users struct{ tx *Tx }

// ByID reads one account.
func (r users) ByID(ctx context.Context, id user.ID) (*user.User, error) {
	return r.one(ctx, "id = ?", id.String())
}

// ByEmail reads the account of an address, however that is spelt.
func (r users) ByEmail(ctx context.Context, address email.Address) (*user.User, error) {
	return r.one(ctx, "email_index = ?", r.tx.store.emailIndex(address))
}

// ByExternalID reads the account of an external id.
func (r users) ByExternalID(ctx context.Context, externalID string) (*user.User, error) {
	return r.one(ctx, "external_index = ?", r.tx.store.externalIndex(externalID))
}

func (r users) one(ctx context.Context, which string, value any) (*user.User, error) {
	var found userRow
	err := r.tx.q.get(ctx, &found, "SELECT "+userColumns+" FROM users WHERE "+which, value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, user.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read an account: %w", err)
	}
	snapshot, err := r.tx.store.userSnapshot(&found)
	if err != nil {
		return nil, err
	}
	return user.Restore(snapshot, found.Version), nil
}

// Save stores an account. On PostgreSQL a statement that fails takes the whole
// transaction with it, so none is let fail on a value that is taken: an INSERT
// inserts nothing, and an UPDATE is tried first on the condition that it changes
// no such value, then from within a savepoint.
func (r users) Save(ctx context.Context, u *user.User) error {
	snapshot := u.Snapshot()
	state, err := r.tx.store.userState(snapshot)
	if err != nil {
		return err
	}
	unique := row{
		{"email_index", r.tx.store.emailIndex(snapshot.Email)},
		{"external_index", r.tx.store.externalIndex(snapshot.ExternalID)},
	}
	n, err := r.write(ctx, u, state, unique)
	if err != nil {
		return fmt.Errorf("save an account: %w", err)
	}
	if n == 0 {
		return r.refusal(ctx, snapshot)
	}
	return r.tx.record(ctx, u.Stored())
}

func (r users) write(ctx context.Context, u *user.User, state, unique row) (int64, error) {
	key := row{{"id", u.ID().String()}}
	if u.Version() == 0 {
		return r.tx.insert(ctx, "users", append(append(key, unique...), state...))
	}
	key = append(key, cell{"version", u.Version()})
	n, err := r.tx.update(ctx, "users", state, append(key, unique...))
	if err != nil || n > 0 {
		return n, err
	}
	err = r.tx.savepoint(ctx, func(inner *Tx) error {
		n, err = inner.update(ctx, "users", append(state, unique...), key)
		return err
	})
	if r.tx.store.dialect.Failure(err) == Duplicate {
		return 0, nil
	}
	return n, err
}

// refusal tells why an account could not be saved: a value of it is another's, or
// it was changed meanwhile.
func (r users) refusal(ctx context.Context, u user.Snapshot) error {
	var others []struct {
		Email    bool `db:"email"`
		External bool `db:"external"`
	}
	emailIndex, externalIndex := r.tx.store.emailIndex(u.Email), r.tx.store.externalIndex(u.ExternalID)
	err := r.tx.q.list(ctx, &others, `
		SELECT email_index = ? AS email, COALESCE(external_index = ?, FALSE) AS external
		FROM users WHERE id <> ? AND (email_index = ? OR external_index = ?)`,
		emailIndex, externalIndex, u.ID.String(), emailIndex, externalIndex)
	if err != nil {
		return fmt.Errorf("find whose address or external id it is: %w", err)
	}
	for _, other := range others {
		if other.Email {
			return user.ErrEmailTaken
		}
	}
	if len(others) > 0 {
		return user.ErrExternalTaken
	}
	return aggregate.ErrConflict
}

// Delete removes an account and what is its own: the database removes credential,
// sessions, memberships and the personal workspace with it.
func (r users) Delete(ctx context.Context, u *user.User) error {
	if err := r.tx.dropPersonalRules(ctx, u.ID()); err != nil {
		return err
	}
	id := u.ID().String()
	n, err := r.tx.q.exec(ctx, `DELETE FROM users WHERE id = ? AND version = ?`, id, u.Version())
	if err != nil {
		return fmt.Errorf("delete an account: %w", err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	return r.tx.record(ctx, u.Stored())
}

// OtherSuperadmins counts under a lock of the instance's row.
func (r users) OtherSuperadmins(ctx context.Context, besides user.ID, now time.Time) (int, error) {
	var id int
	if err := r.tx.q.get(ctx, &id, `SELECT id FROM instance WHERE id = 1 {for update}`); err != nil {
		return 0, fmt.Errorf("lock the instance: %w", err)
	}
	var others int
	err := r.tx.q.get(ctx, &others, `
		SELECT COUNT(*) FROM users
		WHERE superadmin AND id <> ? AND (status <> ? OR (disabled_until IS NOT NULL AND disabled_until <= ?))`,
		besides.String(), string(user.Disabled), at(now))
	if err != nil {
		return 0, fmt.Errorf("count superadmins: %w", err)
	}
	return others, nil
}
