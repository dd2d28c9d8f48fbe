package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// audienceColumns are what an audienceRow reads of an audience n and the resource o
// that is registered under it, if any; fromAudiences are those, and noAudience is none
// of them.
const (
	audienceColumns = `n.name, n.org_id, n.slug, n.epoch, n.version, COALESCE(o.origin, '') AS origin, COALESCE(o.scopes, '') AS scopes,
	COALESCE(o.access_ttl_seconds, 0) AS access_ttl_seconds, COALESCE(o.signing_alg, '') AS signing_alg,
	COALESCE(o.skip_consent, FALSE) AS skip_consent`
	noAudience = `CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS BOOLEAN), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT),
	CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS BIGINT), CAST(NULL AS TEXT), CAST(NULL AS BOOLEAN)`
	fromAudiences = ` FROM audiences n LEFT JOIN oauth_resources o ON o.identifier = n.name`
)

// audienceRow is an audience as it is stored.
type audienceRow struct {
	Name             string               `db:"name"`
	OrgID            workspace.ID         `db:"org_id"`
	Slug             bool                 `db:"slug"`
	Epoch            int64                `db:"epoch"`
	Version          int64                `db:"version"`
	Origin           resource.Origin      `db:"origin"`
	Scopes           string               `db:"scopes"`
	AccessTTLSeconds int64                `db:"access_ttl_seconds"`
	SigningAlg       signingkey.Algorithm `db:"signing_alg"`
	SkipConsent      bool                 `db:"skip_consent"`
}

func (r *audienceRow) into() []any {
	return []any{
		&r.Name, (*string)(&r.OrgID), &r.Slug, &r.Epoch, &r.Version, (*string)(&r.Origin), &r.Scopes, &r.AccessTTLSeconds, (*string)(&r.SigningAlg),
		&r.SkipConsent,
	}
}

// answer sets the audience of the client that asked for it.
func (r *audienceRow) answer(_ *Store, into *outbound.AdmissionAnswer) error {
	if into.Client == nil {
		return nil
	}
	found, err := r.audience()
	into.Client.Audience = found
	return err
}

func (r *audienceRow) audience() (*resource.Audience, error) {
	scopes, err := DecodeList[resource.Scope](r.Scopes)
	if err != nil {
		return nil, fmt.Errorf("decode the scopes of an API: %w", err)
	}
	found := &resource.Audience{
		Name: r.Name, OrgID: r.OrgID, Slug: r.Slug, Epoch: r.Epoch, Version: r.Version,
		Origin: r.Origin, AccessTTL: time.Duration(r.AccessTTLSeconds) * time.Second, SigningAlg: r.SigningAlg, SkipConsent: r.SkipConsent,
	}
	for _, scope := range scopes {
		found.Scopes = append(found.Scopes, string(scope.Name))
	}
	return found, nil
}

// Audience reads the audience of a name; nil if no workspace has claimed it.
func (q *Queries) Audience(ctx context.Context, name string) (*resource.Audience, error) {
	var found []audienceRow
	if err := q.List(ctx, &found, "SELECT "+audienceColumns+fromAudiences+" WHERE n.name = ?", name); err != nil {
		return nil, fmt.Errorf("read an audience: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found[0].audience()
}

// ClaimName claims a name for a workspace, or increments its version if the workspace has it already. It
// reports false if another workspace has the name.
func (t *Tx) ClaimName(ctx context.Context, name string, org workspace.ID, slug bool) (bool, error) {
	n, err := t.Exec(ctx, `
		INSERT INTO audiences (name, org_id, slug, epoch, version) VALUES (?, ?, ?, 0, 1)
		ON CONFLICT (name) DO UPDATE SET slug = audiences.slug OR excluded.slug, version = audiences.version + 1
			WHERE audiences.org_id = excluded.org_id`, name, org.String(), slug)
	if err != nil {
		return false, fmt.Errorf("claim a name: %w", err)
	}
	return n > 0, nil
}
