package machines

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// endedKeyLife is how long an ended key is kept, so that its end can be explained.
const endedKeyLife = 90 * 24 * time.Hour

// storedKeyColumns are what a storedKey reads.
const storedKeyColumns = `id, user_id, org_id, name, prefix, scopes, allowed_ips, expires_at, revoked_at, end_reason, created_at, version`

// storedKey is an API key as it is stored, without its texts; name and allowed networks
// are sealed.
type storedKey struct {
	ID         apikey.ID        `db:"id"`
	UserID     user.ID          `db:"user_id"`
	OrgID      workspace.ID     `db:"org_id"`
	Name       string           `db:"name"`
	Prefix     string           `db:"prefix"`
	Scopes     string           `db:"scopes"`
	AllowedIPs string           `db:"allowed_ips"`
	ExpiresAt  sqlstore.Instant `db:"expires_at"`
	RevokedAt  sqlstore.Instant `db:"revoked_at"`
	EndReason  string           `db:"end_reason"`
	CreatedAt  sqlstore.Instant `db:"created_at"`
	Version    int64            `db:"version"`
}

// storedKeySecret is one text of a key.
type storedKeySecret struct {
	Digest    string           `db:"digest"`
	KeyID     apikey.ID        `db:"key_id"`
	ExpiresAt sqlstore.Instant `db:"expires_at"`
}

func (r *storedKey) snapshot(store *sqlstore.Store) (apikey.Snapshot, error) {
	open := store.RowOpener("api_keys", r.ID.String())
	name, allowed := open.Value("name", r.Name), open.Value("allowed_ips", r.AllowedIPs)
	if open.Err != nil {
		return apikey.Snapshot{}, fmt.Errorf("open the API key %s: %w", r.ID, open.Err)
	}
	scopes, err := sqlstore.DecodeList[string](r.Scopes)
	if err != nil {
		return apikey.Snapshot{}, fmt.Errorf("decode the scopes of %s: %w", r.ID, err)
	}
	networks, err := sqlstore.DecodeList[netip.Prefix](allowed)
	if err != nil {
		return apikey.Snapshot{}, fmt.Errorf("decode the networks of %s: %w", r.ID, err)
	}
	return apikey.Snapshot{
		ID: r.ID, UserID: r.UserID, OrgID: r.OrgID, Name: name, Prefix: r.Prefix, Scopes: scopes, AllowedIPs: networks,
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time, RevokedAt: r.RevokedAt.Time, EndReason: r.EndReason,
	}, nil
}

// keyState returns the columns of a key.
func keyState(store *sqlstore.Store, s apikey.Snapshot) (sqlstore.Row, error) {
	scopes, err := sqlstore.EncodeList(s.Scopes)
	if err != nil {
		return nil, fmt.Errorf("encode the scopes of %s: %w", s.ID, err)
	}
	networks, err := sqlstore.EncodeList(s.AllowedIPs)
	if err != nil {
		return nil, fmt.Errorf("encode the networks of %s: %w", s.ID, err)
	}
	seal := store.RowSealer("api_keys", s.ID.String())
	return sqlstore.Row{
		{"user_id", s.UserID.String()},
		{"org_id", s.OrgID.String()},
		{"name", seal("name", s.Name)},
		{"prefix", s.Prefix},
		{"scopes", scopes},
		{"allowed_ips", seal("allowed_ips", networks)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"revoked_at", sqlstore.At(s.RevokedAt)},
		{"end_reason", s.EndReason},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"purge_at", sqlstore.At(keyPurgeAt(s))},
	}, nil
}

// keyPurgeAt returns when a key may be purged; zero if it does not end.
func keyPurgeAt(s apikey.Snapshot) time.Time {
	switch {
	case !s.RevokedAt.IsZero():
		return s.RevokedAt.Add(endedKeyLife)
	case !s.ExpiresAt.IsZero():
		return s.ExpiresAt.Add(endedKeyLife)
	default:
		return time.Time{}
	}
}

// secretsOf returns the secrets of a key, with the current one last.
func secretsOf(id apikey.ID, found []storedKeySecret) []apikey.Secret {
	var secrets []apikey.Secret
	for _, one := range found {
		if one.KeyID == id {
			secrets = append(secrets, apikey.Secret{Digest: one.Digest, ExpiresAt: one.ExpiresAt.Time})
		}
	}
	slices.SortFunc(secrets, func(a, b apikey.Secret) int {
		return cmp.Compare(lasting(a), lasting(b))
	})
	return secrets
}

func lasting(s apikey.Secret) int {
	if s.ExpiresAt.IsZero() {
		return 1
	}
	return 0
}

// fromKeys is the table of keys with their last uses.
const fromKeys = ` FROM api_keys LEFT JOIN last_uses ON subject = id`

// matchKeys returns the conditions of a query for keys.
func matchKeys(query machines.APIKeyQuery) *sqlstore.Filter {
	f := &sqlstore.Filter{}
	f.Unless(query.User == "", "user_id = ?", query.User.String())
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	now := sqlstore.At(query.Now)
	switch query.Status {
	case apikey.Active:
		f.Where("revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)", now)
	case apikey.Expired:
		f.Where("revoked_at IS NULL AND expires_at <= ?", now)
	case apikey.Revoked:
		f.Where("revoked_at IS NOT NULL")
	}
	if len(query.Scopes) > 0 {
		carried := make([]any, len(query.Scopes))
		for i, scope := range query.Scopes {
			carried[i] = sqlstore.Quoted(scope)
		}
		f.Where("("+strings.TrimSuffix(strings.Repeat("{position}(scopes, ?) > 0 OR ", len(carried)), " OR ")+")", carried...)
	}
	// No character of a key sorts after the tilde.
	f.Unless(query.Prefix == "", "prefix >= ? AND prefix < ?", query.Prefix, query.Prefix+"~")
	f.Unless(query.UnusedSince.IsZero(), "COALESCE(used_at, created_at) < ?", sqlstore.At(query.UnusedSince))
	f.Unless(query.CreatedBefore.IsZero(), "created_at < ?", sqlstore.At(query.CreatedBefore))
	f.Unless(query.Except == "", "id <> ?", query.Except.String())
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	return f
}
