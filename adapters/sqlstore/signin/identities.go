package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// identityColumns are the columns of a linkedRow.
const identityColumns = `id, user_id, provider, upstream_id, email, tokens, linked_at, last_login_at, version`

// linkedRow is an identity as it is stored. The upstream identifier and the
// address are sealed like other personal data, the tokens always.
type linkedRow struct {
	ID          identity.ID      `db:"id"`
	UserID      user.ID          `db:"user_id"`
	Provider    string           `db:"provider"`
	UpstreamID  string           `db:"upstream_id"`
	Email       string           `db:"email"`
	Tokens      string           `db:"tokens"`
	LinkedAt    sqlstore.Instant `db:"linked_at"`
	LastLoginAt sqlstore.Instant `db:"last_login_at"`
	Version     int64            `db:"version"`
}

// tokensDocument is the content of the column tokens.
type tokensDocument struct {
	Access    string    `json:"access"`
	Refresh   string    `json:"refresh,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Scopes    []string  `json:"scopes,omitzero"`
}

func identitySnapshot(store *sqlstore.Store, r *linkedRow) (identity.Snapshot, error) {
	id := r.ID.String()
	open := store.RowOpener("identities", id)
	upstream, address := open.Value("upstream_id", r.UpstreamID), open.Value("email", r.Email)
	open.Sealer = store.Secrets()
	content := open.Value("tokens", r.Tokens)
	if open.Err != nil {
		return identity.Snapshot{}, fmt.Errorf("open the identity %s: %w", id, open.Err)
	}
	var tokens tokensDocument
	if content != "" {
		if err := json.Unmarshal([]byte(content), &tokens); err != nil {
			return identity.Snapshot{}, fmt.Errorf("decode the tokens of the identity %s: %w", id, err)
		}
	}
	return identity.Snapshot{
		ID: r.ID, UserID: r.UserID, Upstream: identity.Upstream{Provider: r.Provider, ID: upstream}, Email: email.Restore(address),
		Tokens: identity.Tokens{
			Access: secret.New(tokens.Access), Refresh: secret.New(tokens.Refresh), ExpiresAt: tokens.ExpiresAt, Scopes: tokens.Scopes,
		},
		LinkedAt: r.LinkedAt.Time, LastLoginAt: r.LastLoginAt.Time,
	}, nil
}

// identityState returns the columns of an identity, except for its key.
func identityState(store *sqlstore.Store, i identity.Snapshot) (sqlstore.Row, error) {
	id := i.ID.String()
	content, err := json.Marshal(tokensDocument{
		Access: i.Tokens.Access.Reveal(), Refresh: i.Tokens.Refresh.Reveal(), ExpiresAt: i.Tokens.ExpiresAt, Scopes: i.Tokens.Scopes,
	}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the tokens of the identity %s: %w", id, err)
	}
	return sqlstore.Row{
		{"user_id", i.UserID.String()},
		{"provider", i.Upstream.Provider},
		{"upstream_id", store.Personal().Seal(i.Upstream.ID, sqlstore.Place("identities", "upstream_id", id))},
		{"upstream_index", upstreamIndex(store, i.Upstream)},
		{"email", store.Personal().Seal(i.Email.String(), sqlstore.Place("identities", "email", id))},
		{"tokens", store.Secrets().Seal(string(content), sqlstore.Place("identities", "tokens", id))},
		{"linked_at", sqlstore.At(i.LinkedAt)},
		{"last_login_at", sqlstore.At(i.LastLoginAt)},
	}, nil
}

// upstreamIndex returns the value by which an upstream account is found and is unique.
func upstreamIndex(store *sqlstore.Store, of identity.Upstream) string {
	return store.Index(label.UpstreamID, of.Provider+"/"+of.ID)
}

func identitiesOf(store *sqlstore.Store, found []linkedRow) ([]identity.Snapshot, error) {
	return sqlstore.Map(found, func(row *linkedRow) (identity.Snapshot, error) { return identitySnapshot(store, row) })
}

// Identities returns the linked accounts.
func Identities(tx *sqlstore.Tx) signin.Identities { return identities{tx} }

type identities struct{ tx *sqlstore.Tx }

// ByUpstream reads the identity of an upstream account.
func (r identities) ByUpstream(ctx context.Context, upstream identity.Upstream) (*identity.Identity, error) {
	found, err := r.read(ctx, "provider = ? AND upstream_index = ?", upstream.Provider, upstreamIndex(r.tx.Store(), upstream))
	if err == nil && len(found) == 0 {
		return nil, identity.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// ByUser reads the identities of an account.
func (r identities) ByUser(ctx context.Context, owner user.ID) ([]*identity.Identity, error) {
	return r.read(ctx, "user_id = ?", owner.String())
}

func (r identities) read(ctx context.Context, which string, args ...any) ([]*identity.Identity, error) {
	var found []linkedRow
	if err := r.tx.List(ctx, &found, "SELECT "+identityColumns+" FROM identities WHERE "+which+" ORDER BY id", args...); err != nil {
		return nil, fmt.Errorf("read identities: %w", err)
	}
	snapshots, err := identitiesOf(r.tx.Store(), found)
	if err != nil {
		return nil, err
	}
	all := make([]*identity.Identity, len(found))
	for i := range found {
		all[i] = identity.Restore(snapshots[i], found[i].Version)
	}
	return all, nil
}

// Save stores an identity. If there is one of the same kind already, it fails with
// aggregate.ErrConflict, so that the retry finds that one.
func (r identities) Save(ctx context.Context, i *identity.Identity) error {
	snapshot := i.Snapshot()
	state, err := identityState(r.tx.Store(), snapshot)
	if err != nil {
		return err
	}
	if err := r.tx.Save(ctx, "identities", sqlstore.Row{{"id", snapshot.ID.String()}}, state, i); err != nil {
		return fmt.Errorf("save an identity: %w", err)
	}
	return nil
}

// Delete removes an identity.
func (r identities) Delete(ctx context.Context, i *identity.Identity) error {
	return r.tx.Delete(ctx, "identities", sqlstore.Row{{"id", i.ID().String()}}, i)
}

// IdentityDirectory reads linked accounts.
func IdentityDirectory(store *sqlstore.Store) signin.IdentityDirectory {
	return identityDirectory{store}
}

type identityDirectory struct{ store *sqlstore.Store }

// OfUser returns the identities of an account.
func (d identityDirectory) OfUser(ctx context.Context, owner user.ID) ([]identity.Snapshot, error) {
	var found []linkedRow
	err := d.store.Reader(ctx).List(ctx, &found, "SELECT "+identityColumns+" FROM identities WHERE user_id = ? ORDER BY id", owner.String())
	if err != nil {
		return nil, fmt.Errorf("list identities: %w", err)
	}
	return identitiesOf(d.store, found)
}
