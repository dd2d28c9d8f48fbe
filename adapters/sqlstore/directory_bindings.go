package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound"
)

// BindingDirectory reads the keys that callers registered.
func (s *Store) BindingDirectory() outbound.BindingDirectory { return bindingDirectory{s} }

type bindingDirectory struct{ store *Store }

// List gives the bindings of an owner, newest first.
func (d bindingDirectory) List(ctx context.Context, query outbound.BindingQuery) ([]dpop.Snapshot, error) {
	f := ownedBy(query.Owner)
	f.unless(query.Before == "", "id < ?", query.Before.String())
	var found []bindingRow
	err := d.store.reader(ctx).search(ctx, &found, "SELECT "+bindingColumns+" FROM dpop_bindings"+f.String()+
		" ORDER BY id DESC LIMIT ?", append(f.args, atMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list DPoP bindings: %w", err)
	}
	return snapshots(found), nil
}

// Live gives a binding of an owner while it is live.
func (d bindingDirectory) Live(ctx context.Context, id dpop.ID, owner dpop.Owner) (dpop.Snapshot, error) {
	f := ownedBy(owner)
	f.where("id = ?", id.String())
	f.where("revoked_at IS NULL")
	f.where("expires_at > ?", at(d.store.clock.Now()))
	var found []bindingRow
	err := d.store.reader(ctx).list(ctx, &found, "SELECT "+bindingColumns+" FROM dpop_bindings"+f.String(), f.args...)
	if err != nil {
		return dpop.Snapshot{}, fmt.Errorf("read a live DPoP binding: %w", err)
	}
	if len(found) == 0 {
		return dpop.Snapshot{}, dpop.ErrNotFound
	}
	return found[0].snapshot(), nil
}
