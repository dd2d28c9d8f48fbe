package sqlstore

import (
	"context"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// Clients looks apps up by their client_id.
func (s *Store) Clients() machines.Clients { return clients{s} }

type clients struct{ store *Store }

// BySlug reads one app by the statement of the admissions, or in the transaction
// around the command.
func (c clients) BySlug(ctx context.Context, slug, audience string) (outbound.Client, error) {
	answer, err := c.store.behind(ctx, outbound.AdmissionAsk{Client: slug, Wants: &outbound.TokenRequest{Audience: audience}})
	if err != nil {
		return outbound.Client{}, err
	}
	if answer.Client == nil {
		return outbound.Client{}, app.ErrNotFound
	}
	return *answer.Client, nil
}
