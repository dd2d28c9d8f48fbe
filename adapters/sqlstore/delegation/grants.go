package delegation

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/user"
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

// Of reads the grants of an app for a user that have not ended.
func (r grants) Of(ctx context.Context, person user.ID, client app.ID) ([]*oauth.Grant, error) {
	var found []sqlstore.GrantRow
	err := r.tx.List(ctx, &found, `SELECT `+sqlstore.GrantColumns+` FROM oauth_grants WHERE user_id = ? AND app_id = ? AND ended_at IS NULL ORDER BY id`,
		person.String(), client.String())
	if err != nil {
		return nil, fmt.Errorf("list the grants of an app: %w", err)
	}
	return sqlstore.Map(found, func(row *sqlstore.GrantRow) (*oauth.Grant, error) { return restore(row) })
}

// Save stores a grant.
func (r grants) Save(ctx context.Context, g *oauth.Grant) error {
	cells, err := sqlstore.GrantCells(g.Snapshot())
	if err != nil {
		return err
	}
	return r.tx.Save(ctx, "oauth_grants", cells[:1], cells[1:], g)
}
