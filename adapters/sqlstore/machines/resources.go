package machines

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// Resources returns the repository of resources, the APIs for which tokens are issued.
func Resources(tx *sqlstore.Tx) machines.Resources { return resources{tx} }

type resources struct{ tx *sqlstore.Tx }

const resourceColumns = `id, org_id, identifier, name, scopes, access_ttl_seconds, signing_alg, skip_consent, origin,
	created_at, updated_at, version`

// resourceRow is a resource as it is stored.
type resourceRow struct {
	ID               resource.ID          `db:"id"`
	OrgID            sql.NullString       `db:"org_id"`
	Identifier       string               `db:"identifier"`
	Name             string               `db:"name"`
	Scopes           string               `db:"scopes"`
	AccessTTLSeconds int64                `db:"access_ttl_seconds"`
	SigningAlg       signingkey.Algorithm `db:"signing_alg"`
	SkipConsent      bool                 `db:"skip_consent"`
	Origin           resource.Origin      `db:"origin"`
	CreatedAt        sqlstore.Instant     `db:"created_at"`
	UpdatedAt        sqlstore.Instant     `db:"updated_at"`
	Version          int64                `db:"version"`
}

func (r *resourceRow) snapshot() (resource.Snapshot, error) {
	scopes, err := sqlstore.DecodeList[resource.Scope](r.Scopes)
	if err != nil {
		return resource.Snapshot{}, fmt.Errorf("decode the scopes of the API %s: %w", r.ID, err)
	}
	return resource.Snapshot{
		ID: r.ID, OrgID: workspace.ID(r.OrgID.String), Identifier: r.Identifier, Name: r.Name, Scopes: scopes,
		AccessTTL: time.Duration(r.AccessTTLSeconds) * time.Second, SigningAlg: r.SigningAlg, SkipConsent: r.SkipConsent,
		Origin: r.Origin, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

// readResources reads the resources that a clause names.
func readResources(ctx context.Context, q *sqlstore.Queries, clause string, args ...any) ([]resourceRow, error) {
	var found []resourceRow
	if err := q.List(ctx, &found, "SELECT "+resourceColumns+" FROM oauth_resources"+clause, args...); err != nil {
		return nil, fmt.Errorf("read APIs: %w", err)
	}
	return found, nil
}

// one reads the resource that a clause names; nil for none.
func (r resources) one(ctx context.Context, clause, value string) (*resource.Resource, error) {
	found, err := readResources(ctx, r.tx.Queries, clause, value)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	snapshot, err := found[0].snapshot()
	if err != nil {
		return nil, err
	}
	return resource.Restore(snapshot, found[0].Version), nil
}

// ByID reads one resource.
func (r resources) ByID(ctx context.Context, id resource.ID) (*resource.Resource, error) {
	found, err := r.one(ctx, " WHERE id = ?", id.String())
	if err == nil && found == nil {
		return nil, resource.ErrNotFound
	}
	return found, err
}

// Holder reads the audience and the resource of a name, under a lock of the row of the audience.
func (r resources) Holder(ctx context.Context, name string) (*resource.Audience, *resource.Resource, error) {
	var locked []string
	if err := r.tx.List(ctx, &locked, `SELECT name FROM audiences WHERE name = ? {for update}`, name); err != nil {
		return nil, nil, fmt.Errorf("lock an audience: %w", err)
	}
	held, err := r.tx.Audience(ctx, name)
	if err != nil || held == nil {
		return nil, nil, err
	}
	registered, err := r.one(ctx, " WHERE identifier = ?", name)
	return held, registered, err
}

// Save stores a resource and claims its identifier.
func (r resources) Save(ctx context.Context, made *resource.Resource) error {
	s := made.Snapshot()
	claimed, err := r.tx.ClaimName(ctx, s.Identifier, s.OrgID, false)
	if err != nil {
		return err
	}
	if !claimed {
		return resource.ErrTaken
	}
	scopes, err := sqlstore.EncodeList(s.Scopes)
	if err != nil {
		return fmt.Errorf("encode the scopes of the API %s: %w", s.ID, err)
	}
	err = r.tx.Save(ctx, "oauth_resources", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", sqlstore.Optional(s.OrgID.String())},
		{"identifier", s.Identifier},
		{"name", s.Name},
		{"scopes", scopes},
		{"access_ttl_seconds", int64(s.AccessTTL / time.Second)},
		{"signing_alg", string(s.SigningAlg)},
		{"skip_consent", s.SkipConsent},
		{"origin", string(s.Origin)},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, made)
	if errors.Is(err, aggregate.ErrConflict) && made.Version() == 0 {
		return resource.ErrRegistered
	}
	if err != nil {
		return fmt.Errorf("save an API: %w", err)
	}
	return nil
}

// Delete removes a resource, and increments the version of its audience, on which tokens depend.
func (r resources) Delete(ctx context.Context, gone *resource.Resource) error {
	s := gone.Snapshot()
	if _, err := r.tx.ClaimName(ctx, s.Identifier, s.OrgID, false); err != nil {
		return err
	}
	return r.tx.Delete(ctx, "oauth_resources", sqlstore.Row{{"id", s.ID.String()}}, gone)
}

// errUnclaimed says that a name to be assigned has not been claimed.
var errUnclaimed = errors.New("no workspace has claimed the audience")

// Assign assigns a claimed name to another workspace. It fails with resource.ErrSlug for the slug of an app.
func (r resources) Assign(ctx context.Context, name string, org workspace.ID) error {
	held, err := r.tx.Audience(ctx, name)
	switch {
	case err != nil:
		return err
	case held == nil:
		return errUnclaimed
	case held.OrgID == org:
		return nil
	case held.Slug:
		return resource.ErrSlug
	}
	n, err := r.tx.Exec(ctx, `UPDATE audiences SET org_id = ?, epoch = epoch + 1, version = version + 1 WHERE name = ? AND version = ?`,
		org.String(), name, held.Version)
	if err != nil {
		return fmt.Errorf("give an audience away: %w", err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	return nil
}

// Claimed counts the audiences of a workspace under a lock of its row.
func (r resources) Claimed(ctx context.Context, org workspace.ID) (int, error) {
	if err := workspaces.HoldWorkspace(ctx, r.tx, org); err != nil {
		return 0, err
	}
	var count int
	if err := r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM audiences WHERE org_id = ? AND NOT slug`, org.String()); err != nil {
		return 0, fmt.Errorf("count audiences: %w", err)
	}
	return count, nil
}

// ResourceDirectory returns the directory of resources.
func ResourceDirectory(store *sqlstore.Store) machines.ResourceDirectory {
	return resourceDirectory{store}
}

type resourceDirectory struct{ store *sqlstore.Store }

// List returns resources, newest first.
func (d resourceDirectory) List(ctx context.Context, query machines.ResourceQuery) ([]resource.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	return d.snapshots(readResources(ctx, d.store.Reader(ctx), f.String()+" ORDER BY id DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...))
}

func (d resourceDirectory) snapshots(found []resourceRow, err error) ([]resource.Snapshot, error) {
	if err != nil {
		return nil, err
	}
	return sqlstore.Map(found, (*resourceRow).snapshot)
}

// Find reads one resource.
func (d resourceDirectory) Find(ctx context.Context, org workspace.ID, id resource.ID) (resource.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Where("id = ?", id.String())
	f.Unless(org == "", "org_id = ?", org.String())
	found, err := d.snapshots(readResources(ctx, d.store.Reader(ctx), f.String(), f.Args...))
	if err != nil {
		return resource.Snapshot{}, err
	}
	if len(found) == 0 {
		return resource.Snapshot{}, resource.ErrNotFound
	}
	return found[0], nil
}

// Audience reads the audience of a name; nil if no workspace has claimed it.
func (d resourceDirectory) Audience(ctx context.Context, name string) (*resource.Audience, error) {
	return d.store.Reader(ctx).Audience(ctx, name)
}

// DomainOwner returns the workspace that has verified the domain of an audience; "" for none.
func (d resourceDirectory) DomainOwner(ctx context.Context, audience string) (workspace.ID, error) {
	return domainOwner(ctx, d.store.Reader(ctx), audience)
}
