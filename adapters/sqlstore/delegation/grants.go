package delegation

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/ports/outbound/delegation"
)

// Grants returns the repository of grants.
func Grants(tx *sqlstore.Tx) delegation.Grants { return grants{tx} }

type grants struct{ tx *sqlstore.Tx }

// ByID reads one grant. It fails with oauth.ErrGrantNotFound.
func (r grants) ByID(ctx context.Context, id oauth.GrantID) (*oauth.Grant, error) {
	var found sqlstore.GrantRow
	err := r.tx.One(ctx, &found, oauth.ErrGrantNotFound, `SELECT `+sqlstore.GrantColumns+` FROM oauth_grants WHERE id = ?`, id.String())
	if err != nil {
		return nil, err
	}
	return restore(&found)
}

func restore(found *sqlstore.GrantRow) (*oauth.Grant, error) {
	snapshot, err := found.Snapshot()
	if err != nil {
		return nil, err
	}
	return oauth.RestoreGrant(snapshot, found.Version), nil
}

// Matching reads grants of a user that have neither ended nor expired, nor ended with their session.
func (r grants) Matching(ctx context.Context, query delegation.GrantQuery) ([]*oauth.Grant, error) {
	where := &sqlstore.Filter{}
	where.Where("user_id = ?", query.User.String())
	active := live.Grant(liveness.GrantLists)
	where.Where(string(active), active.Args(sqlstore.At(query.Now))...)
	where.Unless(query.App == "", "app_id = ?", query.App.String())
	var found []sqlstore.GrantRow
	err := r.tx.List(ctx, &found, `SELECT `+sqlstore.GrantColumns+` FROM oauth_grants g`+where.String()+` ORDER BY app_id, id LIMIT ?`, append(where.Args, query.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("list the grants of a person: %w", err)
	}
	return sqlstore.Map(found, func(row *sqlstore.GrantRow) (*oauth.Grant, error) { return restore(row) })
}

// Save stores a grant. One that ends waits for the units of work that act by it.
func (r grants) Save(ctx context.Context, g *oauth.Grant) error {
	if g.Ended() {
		if err := r.tx.HoldOff(ctx, "oauth_grants", "id", g.ID().String()); err != nil {
			return err
		}
	}
	cells, err := sqlstore.GrantCells(g.Snapshot())
	if err != nil {
		return err
	}
	return r.tx.Save(ctx, "oauth_grants", cells[:1], cells[1:], g)
}
