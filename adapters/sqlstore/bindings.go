package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// bindingColumns are what a bindingRow reads.
const bindingColumns = `id, user_id, app_id, jkt, public_jwk, name, created_at, expires_at, revoked_at, version`

// bindingRow is a binding as it is stored.
type bindingRow struct {
	ID        dpop.ID        `db:"id"`
	UserID    sql.NullString `db:"user_id"`
	AppID     sql.NullString `db:"app_id"`
	JKT       string         `db:"jkt"`
	PublicJWK string         `db:"public_jwk"`
	Name      string         `db:"name"`
	CreatedAt instant        `db:"created_at"`
	ExpiresAt instant        `db:"expires_at"`
	RevokedAt instant        `db:"revoked_at"`
	Version   int64          `db:"version"`
}

func (r *bindingRow) snapshot() dpop.Snapshot {
	return dpop.Snapshot{
		ID: r.ID, Owner: dpop.Owner{User: user.ID(r.UserID.String), App: app.ID(r.AppID.String)},
		Thumbprint: r.JKT, PublicJWK: []byte(r.PublicJWK), Name: dpop.Name(r.Name),
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time, RevokedAt: r.RevokedAt.Time,
	}
}

// DPoPBindings gives the keys that callers registered.
func (t *Tx) DPoPBindings() outbound.DPoPBindings { return bindings{t} }

type bindings struct{ tx *Tx }

// ByID reads one binding.
func (r bindings) ByID(ctx context.Context, id dpop.ID) (*dpop.Binding, error) {
	var found bindingRow
	err := r.tx.q.get(ctx, &found, "SELECT "+bindingColumns+" FROM dpop_bindings WHERE id = ?", id.String())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, dpop.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a DPoP binding: %w", err)
	}
	return dpop.Restore(found.snapshot(), found.Version), nil
}

// Held locks the row of the owner and reads the live bindings.
func (r bindings) Held(ctx context.Context, owner dpop.Owner, now time.Time) ([]dpop.Snapshot, error) {
	lock, id := "SELECT id FROM users WHERE id = ? {for update}", owner.User.String()
	if owner.App != "" {
		lock, id = "SELECT id FROM apps WHERE id = ? {for update}", owner.App.String()
	}
	var locked []string
	if err := r.tx.q.list(ctx, &locked, lock, id); err != nil {
		return nil, fmt.Errorf("lock the owner of DPoP bindings: %w", err)
	}
	if len(locked) == 0 {
		return nil, dpop.ErrNoOwner
	}
	var found []bindingRow
	f := ownedBy(owner)
	f.where("revoked_at IS NULL")
	f.where("expires_at > ?", at(now))
	err := r.tx.q.list(ctx, &found, "SELECT "+bindingColumns+" FROM dpop_bindings"+f.String()+newest(0), f.args...)
	if err != nil {
		return nil, fmt.Errorf("list live DPoP bindings: %w", err)
	}
	return snapshots(found), nil
}

// Save stores a binding.
func (r bindings) Save(ctx context.Context, b *dpop.Binding) error {
	s := b.Snapshot()
	err := r.tx.save(ctx, "dpop_bindings", row{{"id", s.ID.String()}}, row{
		{"user_id", sql.NullString{String: s.Owner.User.String(), Valid: s.Owner.User != ""}},
		{"app_id", sql.NullString{String: s.Owner.App.String(), Valid: s.Owner.App != ""}},
		{"jkt", s.Thumbprint},
		{"public_jwk", string(s.PublicJWK)},
		{"name", string(s.Name)},
		{"created_at", at(s.CreatedAt)},
		{"expires_at", at(s.ExpiresAt)},
		{"revoked_at", at(s.RevokedAt)},
	}, b)
	if err != nil {
		return fmt.Errorf("save a DPoP binding: %w", err)
	}
	return nil
}

// ownedBy gives the condition for the bindings of one owner.
func ownedBy(owner dpop.Owner) *filter {
	f := &filter{}
	if owner.App != "" {
		f.where("app_id = ?", owner.App.String())
	} else {
		f.where("user_id = ?", owner.User.String())
	}
	return f
}

func snapshots(found []bindingRow) []dpop.Snapshot {
	listed := make([]dpop.Snapshot, len(found))
	for i := range found {
		listed[i] = found[i].snapshot()
	}
	return listed
}
