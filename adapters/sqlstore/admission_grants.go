package sqlstore

import (
	"time"

	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// grantIdentityRow is a grant with what it depends on.
type grantIdentityRow struct {
	grant GrantRow
	user  UserRow

	client  string
	enabled bool
	scopes  appScopesRow
	owner   OwnerRow
	// expires, used and idle are those of the session; NULL where it is gone.
	expires, used, ended Instant
	idle                 *int64
	// grants and groups are NULL when the person is no member any more.
	grants, groups *string
	rights         int64
	suspended      Instant
	slug           string
	app            AppRow
	// owner... are those of the workspace that owns the app.
	ownerGrants, ownerGroups *string
	ownerRights              int64
	rules                    int64
	rulesAt                  Instant
}

//nolint:gochecknoglobals // it is never changed
var grantIdentityColumns = Qualified("g", GrantColumns) + ", " + Qualified("u", UserColumns) + `, a.slug, a.enabled, ` + appScopesColumns + `, ` + OwnerColumns + `,
	s.expires_at, s.last_used_at, s.ended_at, s.idle_seconds, m.grants, m.groups, COALESCE(v.rights, 0), v.disabled_at, COALESCE(v.rules_revision, 0), v.rules_at, COALESCE(v.slug, ''),
	a.org_id, a.name, a.type, a.origin, a.rules, a.claims, b.grants, b.groups, COALESCE(w.rights, 0)`

const fromGrants = ` FROM oauth_grants g JOIN users u ON u.id = g.user_id JOIN apps a ON a.id = g.app_id` + WithOwner + `
	LEFT JOIN sessions s ON s.id = g.session_id
	LEFT JOIN workspaces v ON v.id = g.org_id AND v.deleted_at IS NULL
	LEFT JOIN members m ON m.org_id = v.id AND m.user_id = g.user_id
	LEFT JOIN members b ON b.org_id = w.id AND b.user_id = g.user_id`

func (r *grantIdentityRow) into() []any {
	columns := append(r.grant.into(), r.user.into()...)
	columns = append(append(columns, &r.client, &r.enabled), r.scopes.into()...)
	columns = append(columns, r.owner.into()...)
	return append(columns, &r.expires, &r.used, &r.ended, &r.idle, &r.grants, &r.groups, &r.rights, &r.suspended, &r.rules, &r.rulesAt, &r.slug,
		(*string)(&r.app.OrgID), &r.app.Name, (*string)(&r.app.Type), (*string)(&r.app.Origin), &r.app.Rules, &r.app.Claims, &r.ownerGrants, &r.ownerGroups, &r.ownerRights)
}

func (r *GrantRow) into() []any {
	return []any{
		(*string)(&r.ID), (*string)(&r.AppID), (*string)(&r.UserID), (*string)(&r.OrgID), (*string)(&r.SessionID), &r.Subject, &r.Scopes, &r.Resources,
		&r.Offline, &r.AuthTime, &r.AMR, &r.ACR, &r.Nonce, &r.Claims, &r.JKT, &r.CreatedAt, (*string)(&r.Code), &r.RedirectURI, &r.Challenge,
		&r.CodeExpiresAt, &r.RedeemedAt, (*string)(&r.Refresh), (*string)(&r.Previous), &r.RotatedAt, &r.LastUsedAt, &r.IdleSeconds,
		&r.ExpiresAt, &r.EndedAt, &r.EndReason, (*string)(&r.Source), &r.Met, &r.OwnerMet, &r.Version,
	}
}

func (r *grantIdentityRow) answer(s *Store, into *outbound.AdmissionAnswer) error {
	snapshot, err := r.grant.Snapshot()
	if err != nil {
		return err
	}
	scopes, err := r.scopes.answer()
	if err != nil {
		return err
	}
	g := &outbound.GrantIdentity{
		Grant: snapshot, Scopes: scopes, Version: r.grant.Version, Client: r.client, Enabled: r.enabled, Owner: r.owner.Availability(),
		ClientSuspended: !r.owner.SuspendedAt.IsZero(), Member: r.grants != nil, Suspended: !r.suspended.IsZero(),
		Rules: workspace.RulesMark{Revision: r.rules, At: r.rulesAt.Time},
		Slug:  workspace.Slug(r.slug), OwnerMember: r.ownerGrants != nil, OwnerRules: r.owner.Rules(),
	}
	of := r.app // several callers share the row
	of.ID, of.Slug = snapshot.AppID, r.client
	if g.App, err = of.Snapshot(); err != nil {
		return err
	}
	if r.idle != nil && r.ended.IsZero() {
		g.SessionUntil = r.used.Add(time.Duration(*r.idle) * time.Second)
		if r.expires.Before(g.SessionUntil) {
			g.SessionUntil = r.expires.Time
		}
	}
	if g.User, err = s.UserSnapshot(&r.user); err != nil {
		return err
	}
	if r.grants != nil {
		if g.Held, err = HoldingOf(snapshot.OrgID, *r.grants, *r.groups, r.rights); err != nil {
			return err
		}
	}
	if r.ownerGrants != nil {
		if g.OwnerHeld, err = HoldingOf(g.App.OrgID, *r.ownerGrants, *r.ownerGroups, r.ownerRights); err != nil {
			return err
		}
	}
	into.Grant = g
	return nil
}
