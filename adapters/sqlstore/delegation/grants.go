package delegation

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/delegation"
)

// Grants returns the grants.
func Grants(tx *sqlstore.Tx) delegation.Grants { return grants{tx} }

type grants struct{ tx *sqlstore.Tx }

// ByID reads one grant.
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

// Of reads the grants of an app for a person.
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
	s := g.Snapshot()
	var lists [3]string
	for i, list := range [][]string{s.Scopes, s.Resources, s.AMR} {
		var err error
		if lists[i], err = sqlstore.EncodeList(list); err != nil {
			return fmt.Errorf("encode the grant %s: %w", s.ID, err)
		}
	}
	return r.tx.Save(ctx, "oauth_grants", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"app_id", s.AppID.String()},
		{"user_id", s.UserID.String()},
		{"org_id", s.OrgID.String()},
		{"session_id", s.SessionID.String()},
		{"subject", s.Subject},
		{"scopes", lists[0]},
		{"resources", lists[1]},
		{"offline", s.Offline},
		{"auth_time", sqlstore.At(s.AuthTime)},
		{"amr", lists[2]},
		{"acr", s.ACR},
		{"nonce", s.Nonce},
		{"claims", s.Claims},
		{"jkt", s.JKT},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"code", string(s.Code.Digest)},
		{"redirect_uri", s.Code.RedirectURI},
		{"challenge", s.Code.Challenge},
		{"code_expires_at", sqlstore.At(s.Code.ExpiresAt)},
		{"redeemed_at", sqlstore.At(s.RedeemedAt)},
		{"refresh", string(s.Refresh)},
		{"previous", string(s.Previous)},
		{"rotated_at", sqlstore.At(s.RotatedAt)},
		{"last_used_at", sqlstore.At(s.LastUsedAt)},
		{"idle_seconds", int64(s.Idle / time.Second)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"ended_at", sqlstore.At(s.EndedAt)},
		{"end_reason", s.EndReason},
		{"source", s.Source.String()},
		{"purge_at", sqlstore.At(s.PurgeAt())},
	}, g)
}
