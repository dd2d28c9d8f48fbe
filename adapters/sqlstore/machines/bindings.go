package machines

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
)

// bindingColumns are the columns of a bindingRow.
const bindingColumns = `id, user_id, app_id, jkt, public_jwk, name, created_at, expires_at, revoked_at, version`

// bindingRow is a binding as it is stored; its name is sealed.
type bindingRow struct {
	ID        dpop.ID          `db:"id"`
	UserID    sql.NullString   `db:"user_id"`
	AppID     sql.NullString   `db:"app_id"`
	JKT       string           `db:"jkt"`
	PublicJWK string           `db:"public_jwk"`
	Name      string           `db:"name"`
	CreatedAt sqlstore.Instant `db:"created_at"`
	ExpiresAt sqlstore.Instant `db:"expires_at"`
	RevokedAt sqlstore.Instant `db:"revoked_at"`
	Version   int64            `db:"version"`
}

func (r *bindingRow) snapshot(store *sqlstore.Store) (dpop.Snapshot, error) {
	open := store.RowOpener("dpop_bindings", r.ID.String())
	s := dpop.Snapshot{
		ID: r.ID, Owner: dpop.Owner{User: user.ID(r.UserID.String), App: app.ID(r.AppID.String)},
		Thumbprint: r.JKT, PublicJWK: []byte(r.PublicJWK), Name: dpop.Name(open.Value("name", r.Name)),
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time, RevokedAt: r.RevokedAt.Time,
	}
	if open.Err != nil {
		return dpop.Snapshot{}, fmt.Errorf("open the DPoP binding %s: %w", r.ID, open.Err)
	}
	return s, nil
}

// DPoPBindings returns the repository of DPoP keys (RFC 9449) that callers registered.
func DPoPBindings(tx *sqlstore.Tx) machines.DPoPBindings { return bindings{tx} }

type bindings struct{ tx *sqlstore.Tx }

// ByID reads one binding.
func (r bindings) ByID(ctx context.Context, id dpop.ID) (*dpop.Binding, error) {
	var found bindingRow
	err := r.tx.One(ctx, &found, dpop.ErrNotFound, "SELECT "+bindingColumns+" FROM dpop_bindings WHERE id = ?", id.String())
	if err != nil {
		return nil, err
	}
	snapshot, err := found.snapshot(r.tx.Store())
	if err != nil {
		return nil, err
	}
	return dpop.Restore(snapshot, found.Version), nil
}

// Held locks the row of the owner and reads the live bindings.
func (r bindings) Held(ctx context.Context, owner dpop.Owner, now time.Time) ([]dpop.Snapshot, error) {
	lock, id := "SELECT id FROM users WHERE id = ? {for update}", owner.User.String()
	if owner.App != "" {
		// Not {for update}, because concurrent calls of the app hold a key share lock of the row.
		lock, id = "SELECT id FROM apps WHERE id = ? {for no key update}", owner.App.String()
	}
	var locked []string
	if err := r.tx.List(ctx, &locked, lock, id); err != nil {
		return nil, fmt.Errorf("lock the owner of DPoP bindings: %w", err)
	}
	if len(locked) == 0 {
		return nil, dpop.ErrNoOwner
	}
	var found []bindingRow
	f := ownedBy(owner)
	f.Where("revoked_at IS NULL")
	f.Where("expires_at > ?", sqlstore.At(now))
	err := r.tx.List(ctx, &found, "SELECT "+bindingColumns+" FROM dpop_bindings"+f.String()+sqlstore.Newest(0), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list live DPoP bindings: %w", err)
	}
	return snapshots(r.tx.Store(), found)
}

// Save stores a binding.
func (r bindings) Save(ctx context.Context, b *dpop.Binding) error {
	s := b.Snapshot()
	return r.tx.Save(ctx, "dpop_bindings", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"user_id", sqlstore.Optional(s.Owner.User.String())},
		{"app_id", sqlstore.Optional(s.Owner.App.String())},
		{"jkt", s.Thumbprint},
		{"public_jwk", string(s.PublicJWK)},
		{"name", r.tx.Store().RowSealer("dpop_bindings", s.ID.String())("name", string(s.Name))},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"revoked_at", sqlstore.At(s.RevokedAt)},
	}, b)
}

// ownedBy returns the condition for the bindings of one owner.
func ownedBy(owner dpop.Owner) *sqlstore.Filter {
	f := &sqlstore.Filter{}
	if owner.App != "" {
		f.Where("app_id = ?", owner.App.String())
	} else {
		f.Where("user_id = ?", owner.User.String())
	}
	return f
}

func snapshots(store *sqlstore.Store, found []bindingRow) ([]dpop.Snapshot, error) {
	return sqlstore.Map(found, func(row *bindingRow) (dpop.Snapshot, error) { return row.snapshot(store) })
}
