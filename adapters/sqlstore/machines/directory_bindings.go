package machines

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound/machines"
)

// BindingDirectory reads the keys that callers registered.
func BindingDirectory(store *sqlstore.Store) machines.BindingDirectory {
	return bindingDirectory{store}
}

type bindingDirectory struct{ store *sqlstore.Store }

// List returns the bindings of an owner, newest first.
func (d bindingDirectory) List(ctx context.Context, query machines.BindingQuery) ([]dpop.Snapshot, error) {
	f := ownedBy(query.Owner)
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []bindingRow
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+bindingColumns+" FROM dpop_bindings"+f.String()+
		" ORDER BY id DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list DPoP bindings: %w", err)
	}
	return snapshots(d.store, found)
}

// Live returns a binding of an owner while it is live.
func (d bindingDirectory) Live(ctx context.Context, id dpop.ID, owner dpop.Owner) (dpop.Snapshot, error) {
	f := ownedBy(owner)
	f.Where("id = ?", id.String())
	f.Where("revoked_at IS NULL")
	f.Where("expires_at > ?", sqlstore.At(d.store.Clock().Now()))
	var found []bindingRow
	err := d.store.Reader(ctx).List(ctx, &found, "SELECT "+bindingColumns+" FROM dpop_bindings"+f.String(), f.Args...)
	if err != nil {
		return dpop.Snapshot{}, fmt.Errorf("read a live DPoP binding: %w", err)
	}
	if len(found) == 0 {
		return dpop.Snapshot{}, dpop.ErrNotFound
	}
	return found[0].snapshot(d.store)
}
