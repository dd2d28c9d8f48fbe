package sqlports

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/test/contract"
)

// owned stores workspaces in which apps are: shared ones and personal ones of people, suspended
// or not.
func (w *truth) owned(t *testing.T, owners func() []combination[person]) []combination[place] {
	t.Helper()
	suspension := either(liveness.AppSuspended, func(p *place) { p.DisabledAt = w.now })
	all := combine(suspension)
	for _, suspended := range combine(suspension) { // nobody has two personal workspaces
		for _, owner := range owners() {
			one := suspended
			one.of.PersonalOf, one.against = owner.of.id, one.against|owner.against
			all = append(all, one)
		}
	}
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		for i := range all {
			if err := w.found(ctx, tx, &all[i].of.Snapshot); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// apps stores apps in all states.
func (w *truth) apps(t *testing.T, places []combination[place]) []combination[app.Snapshot] {
	t.Helper()
	all := combine(
		[]state[app.Snapshot]{{0, func(a *app.Snapshot) { a.Enabled = true }}, {liveness.AppDisabled, func(*app.Snapshot) {}}},
		choose(places, func(a *app.Snapshot, of place) { a.OrgID = of.ID }),
	)
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		for i := range all {
			a := &all[i].of
			a.ID, a.Type, a.Name, a.CreatedAt, a.UpdatedAt = app.ID(w.ids.UUID()), app.Service, "Worker", w.now, w.now
			a.Slug = "app-" + w.ids.UUID()
			if err := tx.Apps.Save(ctx, app.Restore(*a, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// pass is an M2M token in one of its states.
type pass struct {
	app     app.Snapshot
	before  time.Time
	revoked time.Time
	expires time.Time
	// audience is the name that the token is for, by the workspace of its app.
	audience func(workspace.ID) string
}

// audiences are names that are had by nobody, by the instance, and by a workspace.
func (w *truth) audiences() []state[pass] {
	named := func(prefix string) func(*pass) {
		return func(p *pass) { p.audience = func(org workspace.ID) string { return prefix + org.String() } }
	}
	return []state[pass]{
		{0, named("of-nobody-")},
		{0, named("of-itself-")},
		{0, named("of-instance-")},
		{liveness.AudienceMoved, named("of-another-")},
		{liveness.AudienceMoved, named("came-back-")},
		{liveness.AudienceMoved, named("came-")},
	}
}

// claim stores the names for the tokens of a workspace, whose epoch is 1.
func (w *truth) claim(t *testing.T, org workspace.ID) {
	t.Helper()
	for prefix, has := range map[string]liveness.Audience{
		"of-itself-": {Org: org, Epoch: 1}, "of-instance-": {Epoch: 1}, "of-another-": {Org: workspace.NewID(w.ids), Epoch: 1},
		"came-back-": {Org: org, Epoch: 3}, "came-": {Epoch: 2},
	} {
		w.exec(t, `INSERT INTO audiences (name, org_id, slug, epoch, version) VALUES (?, ?, FALSE, ?, 1)`, prefix+org.String(), has.Org.String(), has.Epoch)
	}
}

// tokens stores M2M tokens in all states.
func (w *truth) tokens(t *testing.T) table {
	issued, places := w.now.Add(-time.Minute), w.owned(t, func() []combination[person] { return w.people(t, liveness.OwnerDisabled) })
	for _, one := range places {
		w.claim(t, one.of.ID)
	}
	before := []state[pass]{
		{0, func(*pass) {}},
		{0, func(p *pass) { p.before = issued }},
		{liveness.TokensRevoked, func(p *pass) { p.before = issued.Add(time.Microsecond) }},
	}
	var all []combination[pass]
	for _, revoked := range before {
		one := choose(w.apps(t, places), func(p *pass, of app.Snapshot) { p.app = of })
		all = append(all, combine([]state[pass]{revoked}, one, w.audiences(),
			either(liveness.TokenRevoked, func(p *pass) { p.revoked = w.now }),
			[]state[pass]{{0, func(p *pass) { p.expires = w.now.Add(time.Microsecond) }}, {liveness.TokenExpired, func(p *pass) { p.expires = w.now }}},
		)...)
	}
	of := table{
		found: `SELECT t.jti FROM m2m_tokens t JOIN apps a ON a.id = t.app_id` + sqlstore.WithOwner + ` WHERE `, fragment: live.Token,
		known: liveness.TokenLists, subsets: []liveness.Reasons{liveness.TokenStands, liveness.TokenIssues, liveness.TokenLists},
	}
	apps := map[string]app.ID{}
	err := w.store.Do(t.Context(), func(tx *sqlstore.Tx) error {
		of.rows = nil
		for _, one := range all {
			p, jti := one.of, w.ids.UUID()
			if _, err := tx.Exec(t.Context(), `UPDATE apps SET revoked_before = ? WHERE id = ?`, sqlstore.At(p.before), p.app.ID.String()); err != nil {
				return err
			}
			if _, err := tx.Exec(t.Context(), `INSERT INTO m2m_tokens (jti, app_id, scope, audience, audience_epoch, jkt, issued_at, expires_at, revoked_at)
				VALUES (?, ?, '', ?, 1, '', ?, ?, ?)`,
				jti, p.app.ID.String(), p.audience(p.app.OrgID), sqlstore.At(issued), sqlstore.At(p.expires), sqlstore.At(p.revoked)); err != nil {
				return err
			}
			of.rows = append(of.rows, credential{jti, outbound.AdmissionAsk{Token: jti}, one.against})
			apps[jti] = p.app.ID
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	of.doors = []door{
		w.stands(liveness.TokenStands, byToken),
		listed("M2M.LIST, active", liveness.TokenLists, func(ctx context.Context) ([]string, error) {
			yes := true
			return w.jtis(ctx, machines.TokenQuery{Active: &yes, Now: w.now}, func(m2m.ListedToken) bool { return true })
		}),
		listed("M2M.LIST, what it shows", liveness.TokenLists, func(ctx context.Context) ([]string, error) {
			return w.jtis(ctx, machines.TokenQuery{Now: w.now}, func(one m2m.ListedToken) bool { return one.Active })
		}),
	}
	again := tried("a new token", liveness.TokenIssues, aggregate.ErrConflict, func(ctx context.Context, row credential) error {
		return w.TokenIssues.Issue(ctx, m2m.Issued{
			JTI: w.ids.UUID(), App: apps[row.id], AppVersion: 1, Audience: "of-nobody", IssuedAt: issued, ExpiresAt: w.now,
		}, nil)
	})
	again.at = issued
	of.doors = append(of.doors, again)
	return of
}

func byToken(row credential) *outbound.ActingCredential {
	return &outbound.ActingCredential{Token: row.ask.Token}
}

// jtis lists tokens.
func (w *truth) jtis(ctx context.Context, query machines.TokenQuery, shown func(m2m.ListedToken) bool) (ids []string, err error) {
	all, err := w.TokenDirectory.List(ctx, query)
	for _, one := range all {
		if shown(one) {
			ids = append(ids, one.JTI)
		}
	}
	return ids, err
}

// grant is a grant in one of its states.
type grant struct {
	oauth.GrantSnapshot
}

// grants stores grants in all states.
func (w *truth) grants(t *testing.T) table {
	persons := w.people(t, liveness.AccountDisabled)
	persons = persons[3:5] // one that is active, and one that is not
	owners := func() []combination[person] { return w.people(t, liveness.OwnerDisabled)[5:] }
	places := w.owned(t, owners)
	facts := [][]state[grant]{
		{{0, func(g *grant) {
			g.Code.ExpiresAt, g.LastUsedAt, g.CreatedAt, g.AuthTime = w.now, w.now.Add(-time.Minute), w.now, w.now
			g.Idle, g.ExpiresAt = time.Minute+time.Second, w.now.Add(time.Microsecond)
		}}},
		{{liveness.GrantUnredeemed, func(*grant) {}}, {0, func(g *grant) { g.RedeemedAt = w.now }}},
		either(liveness.GrantEnded, func(g *grant) { g.EndedAt, g.EndReason = w.now, "revoked" }),
		{
			{0, func(*grant) {}},
			{liveness.GrantExpired, func(g *grant) { g.ExpiresAt = w.now }},
			{liveness.GrantIdle, func(g *grant) { g.Idle = time.Minute }},
		},
		w.behind(t, persons[0].of),
		choose(persons, func(g *grant, of person) { g.UserID = of.id }),
		choose(w.places(t, persons), func(g *grant, of place) { g.OrgID = of.ID }),
		choose(w.apps(t, places[:3]), func(g *grant, of app.Snapshot) { g.AppID = of.ID }),
	}
	w.exchanged(t, &facts)
	of := table{
		found: `SELECT g.id FROM oauth_grants g WHERE `, fragment: live.Grant, known: liveness.GrantLists,
		subsets: []liveness.Reasons{liveness.GrantStands, liveness.GrantLists},
		doors: []door{
			w.stands(liveness.GrantStands, func(row credential) *outbound.ActingCredential {
				return &outbound.ActingCredential{Grant: row.ask.Grant}
			}),
			listed("OAUTH.GRANT_LIST", liveness.GrantLists, func(ctx context.Context) (ids []string, err error) {
				err = w.Unit.Do(ctx, func(tx contract.Repos) error {
					for _, one := range persons {
						all, err := tx.Grants.Matching(ctx, delegation.GrantQuery{User: one.of.id, Limit: 1 << 20, Now: w.now})
						if err != nil {
							return err
						}
						for _, one := range all {
							ids = append(ids, one.ID().String())
						}
					}
					return nil
				})
				return ids, err
			}),
		},
	}
	of.rows = w.granted(t, combine(facts...))
	return of
}

// granted stores grants.
func (w *truth) granted(t *testing.T, all []combination[grant]) (rows []credential) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		rows = nil
		for _, one := range all {
			g := one.of.GrantSnapshot
			g.ID = oauth.NewGrantID(w.ids)
			if err := tx.Grants.Save(ctx, oauth.RestoreGrant(g, 0)); err != nil {
				return err
			}
			rows = append(rows, credential{g.ID.String(), outbound.AdmissionAsk{Grant: g.ID}, one.against})
		}
		return nil
	})
	return rows
}

// behind stores the sessions that grants depend on: one that lasts, and all that do not.
func (w *truth) behind(t *testing.T, of person) []state[grant] {
	t.Helper()
	states := []state[grant]{
		{liveness.SessionEnded, func(g *grant) { g.SessionID = session.NewID(w.ids) }},
		{0, func(g *grant) { g.SessionID, g.Offline = session.NewID(w.ids), true }},
	}
	w.do(t, func(ctx context.Context, tx contract.Repos) error {
		states = states[:2]
		for _, one := range combine(sessionStates(w.now)...) {
			s := one.of.Snapshot
			s.ID, s.UserID = session.NewID(w.ids), of.id
			if err := tx.Sessions.Save(ctx, session.Restore(s, 0)); err != nil {
				return err
			}
			against := one.against
			switch { // a grant tells no more of its session
			case len(against.Each()) > 1:
				continue
			case against == liveness.SessionIdle:
				against = liveness.SessionExpired
			}
			states = append(states, state[grant]{against, func(g *grant) { g.SessionID = s.ID }})
		}
		return nil
	})
	return states
}

// exchanged stores grants whose tokens are exchanged for others: one that rests and one that ended.
// A third one is gone.
func (w *truth) exchanged(t *testing.T, facts *[][]state[grant]) {
	t.Helper()
	var chosen []combination[grant]
	for _, one := range combine(*facts...) {
		if against := one.against; len(chosen) == 0 && against == liveness.WorkspaceSuspended || len(chosen) == 1 && against == liveness.GrantEnded {
			chosen = append(chosen, one)
		}
	}
	states := []state[grant]{{0, func(*grant) {}}, {liveness.SourceEnded, func(g *grant) { g.Source = oauth.NewGrantID(w.ids) }}}
	for _, row := range w.granted(t, chosen) {
		against := liveness.Reasons(0)
		if row.against.Any(liveness.GrantHolds) {
			against = liveness.SourceEnded
		}
		states = append(states, state[grant]{against, func(g *grant) { g.Source = row.ask.Grant }})
	}
	*facts = append(*facts, states)
}
