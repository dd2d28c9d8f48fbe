package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/ports/outbound/delegation"
)

// GrantTurns returns the port for the most frequent changes of grants.
func (s *Store) GrantTurns() delegation.GrantTurns { return s.turns }

// turns are moves of grants: issued without a consent, issued by one, and used.
type turns struct{ plain, agreed, used *moves }

func newTurns(s *Store) *turns {
	return &turns{newMoves(s, issueGrants("", "")), newMoves(s, issueGrants(grantConsents, ", agreed_at time")), newMoves(s, useGrants)}
}

const (
	insertGrants = `INSERT INTO oauth_grants (` + newGrantColumns + `, version)
SELECT r.id, r.app_id, r.user_id, r.org_id, r.session_id, r.subject, r.scopes, r.resources, r.offline, r.auth_time, r.amr, r.acr,
	r.nonce, r.claims, r.jkt, r.created_at, r.code, r.redirect_uri, r.challenge, r.code_expires_at, r.redeemed_at, r.refresh,
	r.previous, r.rotated_at, r.last_used_at, r.idle_seconds, r.expires_at, r.ended_at, r.end_reason, r.source, r.met, r.owner_met, r.purge_at, 1
FROM {rows id text, app_id text, user_id text, org_id text, session_id text, subject text, scopes text, resources text, offline boolean,
	auth_time time, amr text, acr text, nonce text, claims text, jkt text, created_at time, code text, redirect_uri text, challenge text,
	code_expires_at time, redeemed_at time, refresh text, previous text, rotated_at time, last_used_at time, idle_seconds bigint,
	expires_at time, ended_at time, end_reason text, source text, met bigint, owner_met bigint, purge_at time`
	newGrantColumns = `id, app_id, user_id, org_id, session_id, subject, scopes, resources, offline, auth_time, amr, acr, nonce, claims, jkt,
	created_at, code, redirect_uri, challenge, code_expires_at, redeemed_at, refresh, previous, rotated_at, last_used_at, idle_seconds,
	expires_at, ended_at, end_reason, source, met, owner_met, purge_at`
	grantConsents = ` JOIN oauth_consents c ON c.user_id = r.user_id AND c.app_id = r.app_id AND c.granted_at = r.agreed_at`
)

// issueGrants stores grants whose session, person and app nobody is about to end: a batch waits
// for no lock.
func issueGrants(consents, columns string) string {
	return insertGrants + columns + `} JOIN sessions s ON s.id = r.session_id AND ` + string(live.Session(liveness.SessionStands)) + `
	JOIN users u ON u.id = r.user_id JOIN apps a ON a.id = r.app_id` + consents + `
WHERE TRUE {key share if free}
RETURNING id`
}

const useGrants = `
UPDATE oauth_grants SET refresh = r.refresh, previous = r.previous, rotated_at = r.rotated_at, last_used_at = r.last_used_at,
	redeemed_at = r.redeemed_at, jkt = r.jkt, idle_seconds = r.idle_seconds, expires_at = r.expires_at, met = r.met, owner_met = r.owner_met, purge_at = r.purge_at,
	version = oauth_grants.version + 1
FROM {rows id text, version bigint, refresh text, previous text, rotated_at time, last_used_at time,
	redeemed_at time, jkt text, idle_seconds bigint, expires_at time, met bigint, owner_met bigint, purge_at time}
WHERE oauth_grants.id = r.id AND oauth_grants.version = r.version
RETURNING oauth_grants.id`

// Issue stores a grant together with those that wait at the same time, or in the transaction
// around the command.
func (t *turns) Issue(ctx context.Context, g *oauth.Grant, agreed *oauth.ConsentSnapshot) error {
	cells, err := GrantCells(g.Snapshot())
	if err != nil {
		return err
	}
	state := make([]any, len(cells), len(cells)+1)
	for i, c := range cells {
		state[i] = c.Value
	}
	if agreed == nil {
		return t.plain.take(ctx, g, state)
	}
	return t.agreed.take(ctx, g, append(state, At(agreed.GrantedAt)))
}

// Store stores what Redeem, Rotate, Reuse and Meet change, and nothing else of a grant.
func (t *turns) Store(ctx context.Context, g *oauth.Grant) error {
	s := g.Snapshot()
	return t.used.take(ctx, g, []any{
		s.ID.String(), g.Version(), string(s.Refresh), string(s.Previous), At(s.RotatedAt), At(s.LastUsedAt),
		At(s.RedeemedAt), s.JKT, int64(s.Idle / time.Second), At(s.ExpiresAt), s.Met, s.OwnerMet, At(s.PurgeAt()),
	})
}

// take writes a grant with its events.
func (m *moves) take(ctx context.Context, g *oauth.Grant, state []any) error {
	copied := *g
	rows, err := m.store.eventRows(ctx, copied.Stored())
	if err != nil {
		return err
	}
	one := move{id: g.ID().String(), state: state, events: rows}
	if outer, around := m.store.ambient(ctx); around {
		err = outer.Savepoint(ctx, func(tx *Tx) error {
			lost, err := m.write(ctx, tx, []move{one})
			if err == nil && lost[one.id] {
				return aggregate.ErrConflict
			}
			return err
		})
	} else {
		_, err = m.group.Do(ctx, one)
	}
	if err != nil {
		return fmt.Errorf("store a grant: %w", err)
	}
	for _, data := range g.Stored() {
		event.Stored(ctx, data.Kind())
	}
	return nil
}
