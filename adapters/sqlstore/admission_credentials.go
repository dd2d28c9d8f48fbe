package sqlstore

import (
	"strings"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// The kinds of credentials that an ask may present.
const (
	noCredential = iota
	sessionCredential
	// guardedCredential is a session read together with the second factors of its account.
	guardedCredential
	// visitingCredential is a session that acts in a workspace other than its active one.
	visitingCredential
	keyCredential
	tokenCredential
	// grantCredential is an access token that a client holds on behalf of a person.
	grantCredential
	clientCredential
	credentialKinds
	// audienceOfClient is not a credential; it is the audience that a client asks for.
	audienceOfClient
)

// audienceOf returns the key of the audience that an ask names; the zero key if it names none.
func audienceOf(ask outbound.AdmissionAsk) credentialKey {
	target := ask.Target()
	if target == "" {
		return credentialKey{}
	}
	return credentialKey{audienceOfClient, target}
}

// credentialKey identifies what an ask presents: its kind, and its key within that kind.
type credentialKey struct {
	kind int
	key  string
}

// row returns the parameters that the look-up of this kind takes for an ask.
func (k credentialKey) row(ask outbound.AdmissionAsk) []any {
	if k.kind == visitingCredential {
		return []any{k.key, ask.Session.String(), ask.Org.String()}
	}
	return []any{k.key}
}

func credentialOf(ask outbound.AdmissionAsk) credentialKey {
	switch {
	case ask.Session != "" && ask.Org != "":
		return credentialKey{visitingCredential, ask.Session.String() + " " + ask.Org.String()}
	case ask.Session != "" && ask.Factors:
		return credentialKey{guardedCredential, ask.Session.String()}
	case ask.Session != "":
		return credentialKey{sessionCredential, ask.Session.String()}
	case ask.Key != "":
		return credentialKey{keyCredential, ask.Key}
	case ask.Token != "":
		return credentialKey{tokenCredential, ask.Token}
	case ask.Grant != "":
		return credentialKey{grantCredential, ask.Grant.String()}
	case ask.Client != "":
		return credentialKey{clientCredential, ask.Client}
	}
	return credentialKey{}
}

// lookUp is the statement for asks that present one kind of credential. It reads the
// credentials, the counters and the revision of the instance.
type lookUp struct {
	text string
	// counting is text with a part that also counts the calls known from memory.
	counting string
	columns  int
	row      func() credentialRow
	// beside makes rows of a second kind, whose columns follow those of row; nil if there is
	// none.
	beside func() credentialRow
}

// withCounting returns the statement and its parameters, and includes the counting if there is anything to
// count.
func (l lookUp) withCounting(counted *presumedBatch, args ...any) (lookUp, []any) {
	if counted == nil {
		return l, args
	}
	l.text = l.counting
	return l, counted.around(args...)
}

// credentialRow is a credential as it is stored. Sealed columns are opened by each caller
// rather than by the batch, which would otherwise be as slow as all of them together.
type credentialRow interface {
	into() []any
	answer(s *Store, into *outbound.AdmissionAnswer) error
}

func newLookUps() [credentialKinds]lookUp {
	return [credentialKinds]lookUp{
		noCredential: {text: plainRows(""), counting: countingToo(plainRows(""), "")},
		sessionCredential: newLookUp("s.id", Qualified("s", SessionColumns)+", "+Qualified("u", UserColumns)+`, `+heldColumns+`
			FROM sessions s JOIN users u ON u.id = s.user_id
				LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
				LEFT JOIN workspaces w ON w.id = s.org_id
			WHERE s.id {any id text}`,
			func() credentialRow { return &identityRow{} }),
		guardedCredential: newLookUp("s.id", Qualified("s", SessionColumns)+", "+Qualified("u", UserColumns)+`, `+heldColumns+`,
				f.content, EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = s.user_id)
			FROM sessions s JOIN users u ON u.id = s.user_id
				LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
				LEFT JOIN workspaces w ON w.id = s.org_id
				LEFT JOIN second_factors f ON f.user_id = s.user_id
			WHERE s.id {any id text}`,
			func() credentialRow { return &guardedRow{} }),
		visitingCredential: newLookUp("r.key", Qualified("s", SessionColumns)+", "+Qualified("u", UserColumns)+`, `+heldColumns+`,
				f.content, EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = s.user_id), w.id, m.user_id,
				CASE WHEN a.deleted_at IS NOT NULL THEN COALESCE((SELECT h.id FROM workspaces h WHERE h.personal_of = s.user_id), '') END
			FROM {rows key text, session text, org text} JOIN sessions s ON s.id = r.session JOIN users u ON u.id = s.user_id
				LEFT JOIN workspaces a ON a.id = s.org_id
				LEFT JOIN workspaces w ON w.id = r.org AND w.deleted_at IS NULL
				LEFT JOIN members m ON m.org_id = w.id AND m.user_id = s.user_id
				LEFT JOIN second_factors f ON f.user_id = s.user_id`,
			func() credentialRow { return &visitingRow{} }),
		keyCredential: newLookUp("x.digest", `k.id, k.org_id, k.scopes, k.allowed_ips, k.expires_at, x.expires_at, k.revoked_at, `+
			Qualified("u", UserColumns)+`, m.grants, m.groups, w.rights, w.disabled_at
			FROM api_key_secrets x JOIN api_keys k ON k.id = x.key_id JOIN users u ON u.id = k.user_id
				JOIN workspaces w ON w.id = k.org_id AND w.deleted_at IS NULL
				LEFT JOIN members m ON m.org_id = k.org_id AND m.user_id = k.user_id
			WHERE x.digest {any digest text}`,
			func() credentialRow { return &apiKeyRow{} }),
		tokenCredential: newLookUp("t.jti", `t.scope, t.jkt, t.issued_at, t.expires_at, t.revoked_at,
				a.id, a.org_id, a.slug, a.name, a.enabled, `+appScopesColumns+`, a.revoked_before,
				w.name, t.audience_epoch, n.epoch, n.org_id, `+OwnerColumns+`
			FROM m2m_tokens t JOIN apps a ON a.id = t.app_id`+WithOwner+` LEFT JOIN audiences n ON n.name = t.audience
			WHERE t.jti {any jti text}`,
			func() credentialRow { return &tokenRow{} }),
		grantCredential: newLookUp("g.id", grantIdentityColumns+fromGrants+` WHERE g.id {any id text}`, func() credentialRow { return &grantIdentityRow{} }),
		clientCredential: newLookUp("a.slug", Qualified("a", AppColumns)+`, `+OwnerColumns+` FROM apps a`+WithOwner+` WHERE a.slug {any slug text}`,
			newClientRow),
	}
}

// newTargetLookUp returns the look-up of clients that also reads the holders of the audiences
// they ask for.
func newTargetLookUp() lookUp {
	l := lookUp{row: newClientRow, beside: func() credentialRow { return &audienceRow{} }}
	return l.reading("a.slug", Qualified("a", AppColumns)+", "+OwnerColumns+", "+noAudience+` FROM apps a`+WithOwner+` WHERE a.slug {any slug text}
	UNION ALL `+commonOf(aboutAudience, "n.name", noVersion, noState)+strings.Repeat(", NULL", len(l.row().into()))+", "+
		audienceColumns+fromAudiences+` WHERE n.name {any name text}`)
}

// newLookUp returns the look-up of one kind of credential.
func newLookUp(key, rest string, row func() credentialRow) lookUp {
	return lookUp{row: row}.reading(key, rest)
}

// reading composes the statement. Rows about counters and the instance leave the columns of
// the credential NULL.
func (l lookUp) reading(key, rest string) lookUp {
	l.columns = len(l.row().into())
	if l.beside != nil {
		l.columns += len(l.beside().into())
	}
	empty := strings.Repeat(", NULL", l.columns)
	l.text = commonOf(aboutCredential, key, noVersion, noState) + ", " + rest + `
	UNION ALL ` + plainRows(empty)
	l.counting = countingToo(l.text, empty)
	return l
}

// countingToo adds to a statement the part that counts the calls known from memory.
func countingToo(text, empty string) string {
	return `WITH counted AS (` + countPresumed + `) ` + text + `
	UNION ALL ` + commonOf(aboutPresumption, noKey, noVersion, noState) + empty + ` WHERE ` + failIfOutdated
}

// identityRow is a session with its account and its roles in the active
// workspace.
type identityRow struct {
	session        SessionRow
	user           UserRow
	grants, groups string
	rights         int64
	rules          int64
	rulesAt        Instant
	// suspended and deleted say when the workspace was suspended or deleted; home is the
	// personal workspace of the account, which is read only for a deleted one.
	suspended, deleted Instant
	home               *string
}

// heldColumns read what the person holds in the workspace (nothing if they are not a member)
// its sign-in rules, and whether it is suspended or deleted.
const heldColumns = `COALESCE(m.grants, ''), COALESCE(m.groups, ''), COALESCE(w.rights, 0), COALESCE(w.rules_revision, 0), w.rules_at, w.disabled_at, w.deleted_at,
	CASE WHEN w.deleted_at IS NOT NULL THEN (SELECT h.id FROM workspaces h WHERE h.personal_of = s.user_id) END`

func (r *identityRow) into() []any {
	s := &r.session
	return append(append([]any{
		(*string)(&s.ID), (*string)(&s.UserID), (*string)(&s.OrgID), &s.CreatedAt, &s.AuthTime, &s.AMR, &s.IP, &s.UserAgent,
		(*string)(&s.Refresh), (*string)(&s.Previous), &s.RotatedAt, &s.LastUsedAt, &s.IdleSeconds, &s.ExpiresAt,
		&s.EndedAt, &s.EndReason, &s.Claims, (*string)(&s.ActedBy), &s.Met, &s.Version,
	}, r.user.into()...), &r.grants, &r.groups, &r.rights, &r.rules, &r.rulesAt, &r.suspended, &r.deleted, &r.home)
}

func (r *UserRow) into() []any {
	return []any{
		(*string)(&r.ID), &r.Email, &r.EmailVerified, &r.EmailBound, &r.DisplayName, &r.Avatar, &r.Locale, &r.Timezone, &r.ExternalID,
		&r.Metadata, &r.Superadmin, &r.Required, (*string)(&r.Status), &r.DisabledUntil, &r.DisabledWhy, &r.CreatedAt, &r.UpdatedAt,
		&r.LastLoginAt, &r.Version,
	}
}

func (r *identityRow) answer(s *Store, into *outbound.AdmissionAnswer) error {
	identity, err := s.identity(r)
	into.Identity = &identity
	return err
}

// identity returns the person behind a session. If the workspace of the session was deleted
// and the session has not been moved yet, the person acts in their personal workspace, as its
// owner.
func (s *Store) identity(r *identityRow) (outbound.Identity, error) {
	holder, err := s.SessionSnapshot(&r.session)
	if err != nil {
		return outbound.Identity{}, err
	}
	person, err := s.UserSnapshot(&r.user)
	if err != nil {
		return outbound.Identity{}, err
	}
	if !r.deleted.IsZero() {
		holder.OrgID, holder.Claims = "", nil
		var held role.MemberGrants
		if r.home != nil {
			holder.OrgID = workspace.ID(*r.home)
			held = role.MemberGrants{Org: holder.OrgID, Grants: []workspace.Grant{{Role: role.Owner}}}
		}
		return outbound.Identity{Session: holder, Version: r.session.Version, User: person, Held: held}, nil
	}
	held, err := HoldingOf(holder.OrgID, r.grants, r.groups, r.rights)
	if err != nil {
		return outbound.Identity{}, err
	}
	return outbound.Identity{
		Session: holder, Version: r.session.Version, User: person, Held: held, Suspended: !r.suspended.IsZero(),
		Rules: workspace.RulesMark{Revision: r.rules, At: r.rulesAt.Time},
	}, nil
}

// guardedRow is a session with the second factors of its account.
type guardedRow struct {
	identityRow

	// factors is NULL if the account never had any.
	factors *string
	passkey bool
}

func (r *guardedRow) into() []any { return append(r.identityRow.into(), &r.factors, &r.passkey) }

func (r *guardedRow) answer(s *Store, into *outbound.AdmissionAnswer) error {
	if err := r.identityRow.answer(s, into); err != nil {
		return err
	}
	into.Identity.SecondFactor = r.passkey
	if r.passkey || r.factors == nil {
		return nil
	}
	held, err := s.SecondFactors(into.Identity.User.ID, *r.factors, 0)
	if err == nil {
		into.Identity.SecondFactor = held.Enrolled()
	}
	return err
}

// visitingRow is a session with its place in a workspace that it is to act in.
type visitingRow struct {
	guardedRow

	// org is NULL if the workspace does not exist, member if the person does not belong to it.
	// back is the personal workspace of a session whose active one was deleted, or '' if there
	// is none; it is NULL for all other sessions.
	org, member, back *string
}

func (r *visitingRow) into() []any {
	return append(r.guardedRow.into(), &r.org, &r.member, &r.back)
}

func (r *visitingRow) answer(s *Store, into *outbound.AdmissionAnswer) error {
	if err := r.guardedRow.answer(s, into); err != nil {
		return err
	}
	if r.back != nil {
		into.Identity.Session.OrgID = workspace.ID(*r.back)
	}
	if r.org == nil {
		return nil
	}
	into.Identity.Held.Org = workspace.ID(*r.org)
	into.Identity.Visit = &outbound.Visit{Member: r.member != nil}
	return nil
}

// tokenRow is an M2M token with its app.
type tokenRow struct {
	scope, jkt                   string
	issuedAt, expires, revokedAt Instant
	app, org, slug, name         string
	orgName                      string
	enabled                      bool
	scopes                       appScopesRow
	before                       Instant
	epoch                        int64
	// epochNow and holder are NULL where nobody has the audience.
	epochNow *int64
	holder   *string
	owner    OwnerRow
}

func (r *tokenRow) into() []any {
	columns := append([]any{
		&r.scope, &r.jkt, &r.issuedAt, &r.expires, &r.revokedAt, &r.app, &r.org, &r.slug, &r.name, &r.enabled,
	}, r.scopes.into()...)
	return append(append(columns, &r.before, &r.orgName, &r.epoch, &r.epochNow, &r.holder), r.owner.into()...)
}

func (r *tokenRow) answer(_ *Store, into *outbound.AdmissionAnswer) error {
	scopes, err := r.scopes.answer()
	if err != nil {
		return err
	}
	into.Token = &outbound.TokenIdentity{
		Scope: r.scope, JKT: r.jkt, IssuedAt: r.issuedAt.Time, ExpiresAt: r.expires.Time, RevokedAt: r.revokedAt.Time,
		App: app.ID(r.app), Org: workspace.ID(r.org), OrgName: r.orgName, Slug: r.slug, Name: r.name, Enabled: r.enabled,
		Owner: r.owner.Availability(), Suspended: !r.owner.SuspendedAt.IsZero(), AppScopes: scopes, RevokedBefore: r.before.Time,
		Epoch: r.epoch,
	}
	if r.epochNow != nil {
		into.Token.Audience = &liveness.Audience{Org: workspace.ID(*r.holder), Epoch: *r.epochNow}
	}
	return nil
}
