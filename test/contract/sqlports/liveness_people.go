package sqlports

import (
	"context"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/test/contract"
)

// login is a session in one of its states.
type login struct {
	session.Snapshot

	person person
	// impersonation is the impersonation that the session belongs to; nil for a login, or if it is unknown.
	impersonation *impersonation.Snapshot
}

// sessionStates are those of the row of a session itself.
func sessionStates(now time.Time) [][]state[login] {
	return [][]state[login]{
		{{0, func(s *login) {
			s.CreatedAt, s.AuthTime, s.RotatedAt, s.LastUsedAt = now.Add(-time.Hour), now.Add(-time.Hour), now.Add(-time.Minute), now.Add(-time.Minute)
			s.Idle, s.ExpiresAt = time.Minute+time.Second, now.Add(time.Microsecond)
		}}},
		either(liveness.SessionEnded, func(s *login) { s.EndedAt, s.EndReason = now, session.ByLogout }),
		either(liveness.SessionExpired, func(s *login) { s.ExpiresAt = now }),
		either(liveness.SessionIdle, func(s *login) { s.Idle = time.Minute }),
	}
}

// sessions stores sessions in all states.
func (w *truth) sessions(t *testing.T) table {
	persons := w.people(t, liveness.AccountDisabled)
	joined := slices.DeleteFunc(w.places(t, persons), func(one combination[place]) bool { return !one.of.member })
	facts := append(sessionStates(w.now),
		choose(persons, func(s *login, of person) { s.person, s.UserID = of, of.id }),
		choose(joined, func(s *login, of place) { s.OrgID = of.ID }),
		w.impersonations(t, persons))
	client := w.apps(t, joined[:1])[0].of
	of := table{
		found: `SELECT s.id FROM sessions s WHERE `, fragment: live.Session, known: liveness.SessionLists,
		subsets: []liveness.Reasons{liveness.SessionStands, liveness.SessionLists},
		doors: []door{
			w.stands(liveness.SessionStands, func(row credential) *outbound.ActingCredential {
				return &outbound.ActingCredential{Session: row.ask.Session}
			}),
			tried("a new grant", liveness.SessionStands, aggregate.ErrConflict, func(ctx context.Context, row credential) error {
				to := oauth.Authorization{AppID: client.ID, UserID: persons[0].of.id, OrgID: client.OrgID, SessionID: row.ask.Session, AuthTime: w.now}
				return w.GrantTurns.Issue(ctx, oauth.Issue(oauth.NewGrantID(w.ids), to, oauth.Code{}, w.now), nil)
			}),
			listed("SESSION.LIST", liveness.SessionLists, func(ctx context.Context) (ids []string, err error) {
				all, err := w.SessionDirectory.List(ctx, people.SessionQuery{Now: w.now})
				for _, one := range all {
					ids = append(ids, one.ID.String())
				}
				return ids, err
			}),
		},
	}
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		of.rows = nil
		for _, one := range combine(facts...) {
			s := one.of
			s.ID = session.NewID(w.ids)
			if err := tx.Sessions.Save(ctx, session.Restore(s.Snapshot, 0)); err != nil {
				return err
			}
			against := one.against
			const parts = liveness.SessionLists | liveness.AccountDisabled
			if s.ActedBy != "" && (s.impersonation == nil || against.Any(parts) || s.person.superadmin) {
				against |= liveness.ImpersonationEnded
			}
			if s.impersonation != nil {
				acted := *s.impersonation
				acted.ID, acted.UserID, acted.SessionID = impersonation.NewID(w.ids), s.UserID, s.ID
				if err := tx.Acted.Save(ctx, impersonation.Restore(acted, 0)); err != nil {
					return err
				}
			}
			of.rows = append(of.rows, credential{s.ID.String(), outbound.AdmissionAsk{Session: s.ID}, against})
		}
		return nil
	})
	return of
}

// impersonations returns the states of impersonations. The states of the session and the person are
// added elsewhere.
func (w *truth) impersonations(t *testing.T, persons []combination[person]) []state[login] {
	t.Helper()
	through := map[liveness.Reasons]session.ID{}
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		for _, one := range combine(sessionStates(w.now)...) {
			s := one.of.Snapshot
			s.ID, s.UserID = session.NewID(w.ids), persons[0].of.id
			if err := tx.Sessions.Save(ctx, session.Restore(s, 0)); err != nil {
				return err
			}
			through[one.against] = s.ID
		}
		return nil
	})
	states := []state[login]{{0, func(*login) {}}, {liveness.ImpersonationEnded, func(s *login) { s.ActedBy = persons[0].of.id }}}
	impersonated := func(actor user.ID, started session.ID, ended, expires time.Time, against liveness.Reasons) {
		states = append(states, state[login]{against, func(s *login) {
			s.ActedBy = actor
			s.impersonation = &impersonation.Snapshot{
				ActorID: actor, ActorSession: started, Reason: "a ticket", StartedAt: w.now.Add(-time.Hour), ExpiresAt: expires, EndedAt: ended,
			}
			if !ended.IsZero() {
				s.impersonation.EndedBy = impersonation.ByTime
			}
		}})
	}
	later, ended := w.now.Add(time.Microsecond), liveness.ImpersonationEnded
	for _, one := range persons { // actors
		against := ended
		if one.of.superadmin && one.against == 0 {
			against = 0
		}
		impersonated(one.of.id, through[0], time.Time{}, later, against)
	}
	actor := persons[1].of.id
	for against, id := range through {
		if against != 0 {
			impersonated(actor, id, time.Time{}, later, ended)
		}
	}
	impersonated(actor, through[0], w.now, later, ended)
	impersonated(actor, through[0], time.Time{}, w.now, ended)
	impersonated(actor, session.NewID(w.ids), time.Time{}, later, ended)
	return states
}

// held is an API key in one of its states.
type held struct {
	apikey.Snapshot

	text time.Time
}

// keys stores API keys in all states.
func (w *truth) keys(t *testing.T) table {
	persons := w.people(t, liveness.AccountDisabled)
	expires := func(set func(k *held, at time.Time)) []state[held] {
		return []state[held]{
			{0, func(*held) {}},
			{0, func(k *held) { set(k, w.now.Add(time.Microsecond)) }},
			{liveness.KeyExpired, func(k *held) { set(k, w.now) }},
		}
	}
	all := combine(
		either(liveness.KeyRevoked, func(k *held) { k.RevokedAt = w.now }),
		expires(func(k *held, at time.Time) { k.ExpiresAt = at }),
		expires(func(k *held, at time.Time) { k.text = at }),
		choose(persons, func(k *held, of person) { k.UserID = of.id }),
		choose(w.places(t, persons), func(k *held, of place) { k.OrgID = of.ID }),
	)
	of := table{
		found:    `SELECT x.digest FROM api_keys k JOIN api_key_secrets x ON x.key_id = k.id WHERE `,
		fragment: live.Key, known: liveness.KeyStands, subsets: []liveness.Reasons{liveness.KeyStands},
		doors: []door{w.stands(liveness.KeyStands, func(row credential) *outbound.ActingCredential { return &outbound.ActingCredential{Key: row.ask.Key} })},
	}
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		of.rows = nil
		for _, one := range all {
			k := one.of
			k.ID, k.Name, k.CreatedAt = apikey.NewID(w.ids), "nightly", w.now
			digest := keytext.Digest(k.ID.String())
			k.Secrets = []apikey.Secret{{Digest: digest, ExpiresAt: k.text}}
			if err := tx.APIKeys.Save(ctx, apikey.Restore(k.Snapshot, 0)); err != nil {
				return err
			}
			of.rows = append(of.rows, credential{digest, outbound.AdmissionAsk{Key: digest}, one.against})
		}
		return nil
	})
	return of
}
