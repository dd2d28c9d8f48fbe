package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// webauthnRows reads passkeyRows.
const webauthnRows = `SELECT id, user_id, credential_id, name, content, created_at, last_used_at, version FROM passkeys`

// passkeyRow is a passkey as it is stored. What it holds is public.
type passkeyRow struct {
	ID           passkey.ID   `db:"id"`
	UserID       user.ID      `db:"user_id"`
	CredentialID string       `db:"credential_id"`
	Name         passkey.Name `db:"name"`
	Content      string       `db:"content"`
	CreatedAt    instant      `db:"created_at"`
	LastUsedAt   instant      `db:"last_used_at"`
	Version      int64        `db:"version"`
}

func (r *passkeyRow) snapshot() (passkey.Snapshot, error) {
	s := passkey.Snapshot{
		ID: r.ID, UserID: r.UserID, CredentialID: r.CredentialID, Name: r.Name,
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.Time,
	}
	if err := json.Unmarshal([]byte(r.Content), &s.Record); err != nil {
		return passkey.Snapshot{}, fmt.Errorf("decode the passkey %s: %w", r.ID, err)
	}
	return s, nil
}

// Passkeys gives the passkeys.
func (t *Tx) Passkeys() outbound.Passkeys { return passkeys{t} }

type passkeys struct{ tx *Tx }

// ByID reads one passkey.
func (r passkeys) ByID(ctx context.Context, id passkey.ID) (*passkey.Passkey, error) {
	return onePasskey(ctx, r.tx.q, "id", id.String())
}

// ByCredential reads one passkey by its credential.
func (r passkeys) ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error) {
	return onePasskey(ctx, r.tx.q, "credential_id", credentialID)
}

func onePasskey(ctx context.Context, q *queries, column, value string) (*passkey.Passkey, error) {
	var found passkeyRow
	err := q.get(ctx, &found, webauthnRows+" WHERE "+column+" = ?", value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, passkey.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a passkey: %w", err)
	}
	snapshot, err := found.snapshot()
	if err != nil {
		return nil, err
	}
	return passkey.Restore(snapshot, found.Version), nil
}

// Held locks the row of the owner and reads the passkeys.
func (r passkeys) Held(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error) {
	if err := r.tx.lockAccount(ctx, owner); err != nil {
		return nil, err
	}
	return passkeysOf(ctx, r.tx.q, owner)
}

// Save stores a passkey. A new one whose credential is taken is told apart from a
// copy that is stale.
func (r passkeys) Save(ctx context.Context, p *passkey.Passkey) error {
	s := p.Snapshot()
	content, err := json.Marshal(s.Record, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a passkey: %w", err)
	}
	added := p.Version() == 0
	err = r.tx.save(ctx, "passkeys", row{{"id", s.ID.String()}}, row{
		{"user_id", s.UserID.String()},
		{"credential_id", s.CredentialID},
		{"name", string(s.Name)},
		{"content", string(content)},
		{"created_at", at(s.CreatedAt)},
		{"last_used_at", at(s.LastUsedAt)},
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
	n, err := r.tx.q.exec(ctx, `DELETE FROM passkeys WHERE id = ?`, p.ID().String())
	if err == nil && n == 0 {
		err = aggregate.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("remove a passkey: %w", err)
	}
	return r.tx.record(ctx, p.Stored())
}

// PasskeyDirectory reads passkeys outside any unit of work.
func (s *Store) PasskeyDirectory() outbound.PasskeyDirectory { return passkeyDirectory{s} }

type passkeyDirectory struct{ store *Store }

// List gives those of a user.
func (d passkeyDirectory) List(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error) {
	return passkeysOf(ctx, d.store.reader(ctx), owner)
}

// ByCredential reads one passkey by its credential.
func (d passkeyDirectory) ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error) {
	return onePasskey(ctx, d.store.reader(ctx), "credential_id", credentialID)
}

// passkeysOf reads those of a user. They are few: passkey.MaxHeld bounds them.
func passkeysOf(ctx context.Context, q *queries, owner user.ID) ([]passkey.Snapshot, error) {
	var found []passkeyRow
	if err := q.list(ctx, &found, webauthnRows+" WHERE user_id = ? ORDER BY id DESC", owner.String()); err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	held := make([]passkey.Snapshot, len(found))
	for i := range found {
		var err error
		if held[i], err = found[i].snapshot(); err != nil {
			return nil, err
		}
	}
	return held, nil
}
