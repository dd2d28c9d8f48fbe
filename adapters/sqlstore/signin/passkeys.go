package signin

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// webauthnRows selects passkeyRows.
const webauthnRows = `SELECT id, user_id, credential_id, name, content, created_at, last_used_at, version FROM passkeys`

// passkeyRow is a passkey as it is stored. Its name is sealed; the rest is public.
type passkeyRow struct {
	ID           passkey.ID       `db:"id"`
	UserID       user.ID          `db:"user_id"`
	CredentialID string           `db:"credential_id"`
	Name         string           `db:"name"`
	Content      string           `db:"content"`
	CreatedAt    sqlstore.Instant `db:"created_at"`
	LastUsedAt   sqlstore.Instant `db:"last_used_at"`
	Version      int64            `db:"version"`
}

func (r *passkeyRow) snapshot(store *sqlstore.Store) (passkey.Snapshot, error) {
	open := store.RowOpener("passkeys", r.ID.String())
	s := passkey.Snapshot{
		ID: r.ID, UserID: r.UserID, CredentialID: r.CredentialID, Name: passkey.Name(open.Value("name", r.Name)),
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.Time,
	}
	if open.Err != nil {
		return passkey.Snapshot{}, fmt.Errorf("open the passkey %s: %w", r.ID, open.Err)
	}
	if err := json.Unmarshal([]byte(r.Content), &s.Record); err != nil {
		return passkey.Snapshot{}, fmt.Errorf("decode the passkey %s: %w", r.ID, err)
	}
	return s, nil
}

// Passkeys returns the passkeys.
func Passkeys(tx *sqlstore.Tx) signin.Passkeys { return passkeys{tx} }

type passkeys struct{ tx *sqlstore.Tx }

// ByID reads one passkey.
func (r passkeys) ByID(ctx context.Context, id passkey.ID) (*passkey.Passkey, error) {
	return onePasskey(ctx, r.tx.Store(), r.tx.Queries, "id", id.String())
}

// ByCredential reads one passkey by its credential.
func (r passkeys) ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error) {
	return onePasskey(ctx, r.tx.Store(), r.tx.Queries, "credential_id", credentialID)
}

func onePasskey(ctx context.Context, store *sqlstore.Store, q *sqlstore.Queries, column, value string) (*passkey.Passkey, error) {
	var found passkeyRow
	err := q.One(ctx, &found, passkey.ErrNotFound, webauthnRows+" WHERE "+column+" = ?", value)
	if err != nil {
		return nil, err
	}
	snapshot, err := found.snapshot(store)
	if err != nil {
		return nil, err
	}
	return passkey.Restore(snapshot, found.Version), nil
}

// Held locks the row of the owner and reads the passkeys.
func (r passkeys) Held(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error) {
	if err := people.LockAccount(ctx, r.tx, owner); err != nil {
		return nil, err
	}
	return passkeysOf(ctx, r.tx.Store(), r.tx.Queries, owner)
}

// Save stores a passkey. It distinguishes a new passkey whose credential is taken from a stale
// copy.
func (r passkeys) Save(ctx context.Context, p *passkey.Passkey) error {
	s := p.Snapshot()
	content, err := json.Marshal(s.Record, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a passkey: %w", err)
	}
	added := p.Version() == 0
	err = r.tx.Save(ctx, "passkeys", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"user_id", s.UserID.String()},
		{"credential_id", s.CredentialID},
		{"name", r.tx.Store().RowSealer("passkeys", s.ID.String())("name", string(s.Name))},
		{"content", string(content)},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"last_used_at", sqlstore.At(s.LastUsedAt)},
	}, p)
	if added && errors.Is(err, aggregate.ErrConflict) {
		return passkey.ErrTaken
	}
	if err != nil {
		return fmt.Errorf("save a passkey: %w", err)
	}
	return nil
}

// Remove deletes one passkey with its events.
func (r passkeys) Remove(ctx context.Context, p *passkey.Passkey) error {
	n, err := r.tx.Exec(ctx, `DELETE FROM passkeys WHERE id = ?`, p.ID().String())
	if err == nil && n == 0 {
		err = aggregate.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("remove a passkey: %w", err)
	}
	return r.tx.RecordOf(ctx, p)
}

// PasskeyDirectory reads passkeys outside any unit of work.
func PasskeyDirectory(store *sqlstore.Store) signin.PasskeyDirectory { return passkeyDirectory{store} }

type passkeyDirectory struct{ store *sqlstore.Store }

// List returns the passkeys of a user.
func (d passkeyDirectory) List(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error) {
	return passkeysOf(ctx, d.store, d.store.Reader(ctx), owner)
}

// ByCredential reads one passkey by its credential.
func (d passkeyDirectory) ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error) {
	return onePasskey(ctx, d.store, d.store.Reader(ctx), "credential_id", credentialID)
}

// passkeysOf reads the passkeys of a user, at most passkey.MaxHeld.
func passkeysOf(ctx context.Context, store *sqlstore.Store, q *sqlstore.Queries, owner user.ID) ([]passkey.Snapshot, error) {
	var found []passkeyRow
	if err := q.List(ctx, &found, webauthnRows+" WHERE user_id = ? ORDER BY id DESC", owner.String()); err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	return sqlstore.Map(found, func(row *passkeyRow) (passkey.Snapshot, error) { return row.snapshot(store) })
}
