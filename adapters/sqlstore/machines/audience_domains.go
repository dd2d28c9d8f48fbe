package machines

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// AudienceDomains returns the repository that finds the owners of audiences by verified domains.
func AudienceDomains(tx *sqlstore.Tx) machines.AudienceDomains { return audienceDomains{tx} }

type audienceDomains struct{ tx *sqlstore.Tx }

// DomainOwner returns the workspace that has verified the domain of an audience; "" for none.
func (r audienceDomains) DomainOwner(ctx context.Context, audience string) (workspace.ID, error) {
	return domainOwner(ctx, r.tx.Queries, audience)
}

// domainOwner returns the workspace that has verified the domain of an audience; "" for none.
func domainOwner(ctx context.Context, q *sqlstore.Queries, audience string) (workspace.ID, error) {
	names := resource.Domains(audience)
	if len(names) == 0 {
		return "", nil
	}
	var found []workspace.ID
	err := q.List(ctx, &found, `SELECT org_id FROM mail_domains WHERE verified_at IS NOT NULL AND name {any name text}
		ORDER BY LENGTH(name) DESC LIMIT 1`, sqlstore.OneColumn(names))
	if err != nil {
		return "", fmt.Errorf("read whose domain an audience is under: %w", err)
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}

// Yielding returns the audiences of other workspaces under a domain. It reads the range of https audiences that
// contain the domain, and filters them by their host.
func (r audienceDomains) Yielding(ctx context.Context, under email.Domain, org workspace.ID) ([]string, error) {
	var found []string
	err := r.tx.List(ctx, &found, `SELECT n.name FROM audiences n LEFT JOIN oauth_resources o ON o.identifier = n.name
		WHERE n.name > 'https://' AND n.name < 'https:0' AND LOWER(n.name) LIKE ?
			AND NOT n.slug AND n.org_id <> ? AND n.org_id <> '' AND COALESCE(o.origin, ?) = ? ORDER BY n.name`,
		"%"+string(under)+"%", org.String(), string(resource.FirstUse), string(resource.FirstUse))
	if err != nil {
		return nil, fmt.Errorf("read audiences under a domain: %w", err)
	}
	return slices.DeleteFunc(found, func(name string) bool { return !slices.Contains(resource.Domains(name), under) }), nil
}
