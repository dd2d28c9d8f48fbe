package sqlstore

import (
	"fmt"
	"net/netip"
	"strings"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// The kinds of credentials that an ask may present.
const (
	noCredential = iota
	sessionCredential
	keyCredential
	tokenCredential
	clientCredential
	credentialKinds
)

// credentialKey is what an ask presents: its kind, and the key it is found under. One
// text is another credential of each kind.
type credentialKey struct {
	kind int
	key  string
}

func credentialOf(ask outbound.AdmissionAsk) credentialKey {
	switch {
	case ask.Session != "":
		return credentialKey{sessionCredential, ask.Session.String()}
	case ask.Key != "":
		return credentialKey{keyCredential, ask.Key}
	case ask.Token != "":
		return credentialKey{tokenCredential, ask.Token}
	case ask.Client != "":
		return credentialKey{clientCredential, ask.Client}
	}
	return credentialKey{}
}

// lookUp is the statement for the asks that present one kind of credential: what
// stands behind those, the counters, and the instance.
type lookUp struct {
	text string
	// counting is text that counts what is presumed besides.
	counting string
	columns  int
	row      func() credentialRow
}

// along is a look-up that counts besides, if there is anything to count.
func (l lookUp) along(counted *presumedBatch, args ...any) (lookUp, []any) {
	if counted == nil {
		return l, args
	}
	l.text = l.counting
	return l, counted.around(args...)
}

// credentialRow is what stands behind a credential, as it is stored. What is
// sealed in it is opened by the caller, so that a batch is not as slow as all of
// its openings.
type credentialRow interface {
	into() []any
	answer(s *Store, into *outbound.AdmissionAnswer) error
}

func newLookUps() [credentialKinds]lookUp {
	return [credentialKinds]lookUp{
		noCredential: {text: fmt.Sprintf(plainRows, ""), counting: countingToo(fmt.Sprintf(plainRows, ""), "")},
		sessionCredential: newLookUp("s.id", qualified("s", sessionColumns)+", "+qualified("u", userColumns)+`, COALESCE(m.grants, '')
			FROM sessions s JOIN users u ON u.id = s.user_id
				LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
			WHERE s.id {any id text}`,
			func() credentialRow { return &identityRow{} }),
		keyCredential: newLookUp("x.digest", `k.id, k.org_id, k.scopes, k.allowed_ips, k.expires_at, x.expires_at, k.revoked_at, `+
			qualified("u", userColumns)+`, m.grants
			FROM api_key_secrets x JOIN api_keys k ON k.id = x.key_id JOIN users u ON u.id = k.user_id
				LEFT JOIN members m ON m.org_id = k.org_id AND m.user_id = k.user_id
			WHERE x.digest {any digest text}`,
			func() credentialRow { return &apiKeyRow{} }),
		tokenCredential: newLookUp("t.jti", `t.scope, t.jkt, t.issued_at, t.expires_at, t.revoked_at,
				a.id, a.org_id, a.slug, a.name, a.enabled, a.scopes, a.scopes_listed, a.scopes_withdrawn, a.revoked_before
			FROM m2m_tokens t JOIN apps a ON a.id = t.app_id
			WHERE t.jti {any jti text}`,
			func() credentialRow { return &tokenRow{} }),
		clientCredential: newLookUp("a.slug", qualified("a", appColumns)+` FROM apps a WHERE a.slug {any slug text}`,
			func() credentialRow { return &appRow{} }),
	}
}

// newLookUp puts the statement for one kind of credential together. The other
// rows leave its columns empty.
func newLookUp(key, rest string, row func() credentialRow) lookUp {
	columns := len(row().into())
	empty := strings.Repeat(", NULL", columns)
	text := `SELECT 0 AS about, ` + key + ` AS key, CAST(0 AS BIGINT) AS version, CAST(NULL AS {bytes}) AS state, ` + rest + `
	UNION ALL ` + fmt.Sprintf(plainRows, empty)
	return lookUp{text: text, counting: countingToo(text, empty), columns: columns, row: row}
}

// countingToo lets a statement count what is presumed.
func countingToo(text, empty string) string {
	return `WITH counted AS (` + countPresumed + `) ` + text + `
	UNION ALL SELECT 3, '', CAST(0 AS BIGINT), CAST(NULL AS {bytes})` + empty + ` WHERE ` + presumedWrongly
}

// qualified puts the name of a table before each of a list of columns.
func qualified(table, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		names[i] = table + "." + strings.TrimSpace(name)
	}
	return strings.Join(names, ", ")
}

// identityRow is a session with its account and its roles in the active
// workspace.
type identityRow struct {
	session sessionRow
	user    userRow
	grants  string
}

func (r *identityRow) into() []any {
	s := &r.session
	return append(append([]any{
		(*string)(&s.ID), (*string)(&s.UserID), (*string)(&s.OrgID), &s.CreatedAt, &s.AuthTime, &s.AMR, &s.IP, &s.UserAgent,
		(*string)(&s.Refresh), (*string)(&s.Previous), &s.RotatedAt, &s.LastUsedAt, &s.IdleSeconds, &s.ExpiresAt,
		&s.EndedAt, &s.EndReason, &s.Version,
	}, r.user.into()...), &r.grants)
}

func (r *userRow) into() []any {
	return []any{
		(*string)(&r.ID), &r.Email, &r.EmailVerified, &r.DisplayName, &r.Avatar, &r.Locale, &r.Timezone, &r.ExternalID,
		&r.Metadata, &r.Superadmin, &r.Required, (*string)(&r.Status), &r.DisabledUntil, &r.DisabledWhy, &r.CreatedAt, &r.UpdatedAt,
		&r.LastLoginAt, &r.Version,
	}
}

func (r *identityRow) answer(s *Store, into *outbound.AdmissionAnswer) error {
	identity, err := s.identity(r)
	into.Identity = &identity
	return err
}

// identity opens who stands behind a session.
func (s *Store) identity(r *identityRow) (outbound.Identity, error) {
	holder, err := s.sessionSnapshot(&r.session)
	if err != nil {
		return outbound.Identity{}, err
	}
	person, err := s.userSnapshot(&r.user)
	if err != nil {
		return outbound.Identity{}, err
	}
	grants, err := grantsOf(r.grants)
	if err != nil {
		return outbound.Identity{}, err
	}
	return outbound.Identity{Session: holder, Version: r.session.Version, User: person, Grants: grants}, nil
}

func grantsOf(stored string) ([]workspace.Grant, error) {
	grants, err := decodeList[workspace.Grant](stored)
	if err != nil {
		return nil, fmt.Errorf("decode the roles of a member: %w", err)
	}
	return grants, nil
}

// apiKeyRow is an API key with its account and that one's roles in its workspace.
type apiKeyRow struct {
	id, org, scopes, allowed  string
	ends, textEnds, revokedAt instant
	user                      userRow
	// grants is NULL when the user is no member any more.
	grants *string
}

func (r *apiKeyRow) into() []any {
	own := []any{&r.id, &r.org, &r.scopes, &r.allowed, &r.ends, &r.textEnds, &r.revokedAt}
	return append(append(own, r.user.into()...), &r.grants)
}

func (r *apiKeyRow) answer(s *Store, into *outbound.AdmissionAnswer) error {
	k := &outbound.KeyIdentity{
		ID: apikey.ID(r.id), Org: workspace.ID(r.org), ExpiresAt: r.ends.Time, RevokedAt: r.revokedAt.Time,
		Member: r.grants != nil,
	}
	if !r.textEnds.IsZero() && (k.ExpiresAt.IsZero() || r.textEnds.Before(k.ExpiresAt)) {
		k.ExpiresAt = r.textEnds.Time
	}
	var err error
	if k.Scopes, err = decodeList[string](r.scopes); err != nil {
		return fmt.Errorf("decode the scopes of a key: %w", err)
	}
	if k.AllowedIPs, err = decodeList[netip.Prefix](r.allowed); err != nil {
		return fmt.Errorf("decode the networks of a key: %w", err)
	}
	if r.grants != nil {
		if k.Grants, err = grantsOf(*r.grants); err != nil {
			return err
		}
	}
	k.User, err = s.userSnapshot(&r.user)
	into.Key = k
	return err
}

// tokenRow is an M2M token with its app.
type tokenRow struct {
	scope, jkt                   string
	issuedAt, expires, revokedAt instant
	app, org, slug, name         string
	enabled                      bool
	granted                      string
	listed                       bool
	withdrawn                    string
	before                       instant
}

func (r *tokenRow) into() []any {
	return []any{
		&r.scope, &r.jkt, &r.issuedAt, &r.expires, &r.revokedAt,
		&r.app, &r.org, &r.slug, &r.name, &r.enabled, &r.granted, &r.listed, &r.withdrawn, &r.before,
	}
}

func (r *tokenRow) answer(_ *Store, into *outbound.AdmissionAnswer) error {
	granted, err := decodeList[string](r.granted)
	if err != nil {
		return fmt.Errorf("decode the scopes of an app: %w", err)
	}
	withdrawn, err := decodeList[string](r.withdrawn)
	if err != nil {
		return fmt.Errorf("decode the scopes taken back from an app: %w", err)
	}
	into.Token = &outbound.TokenIdentity{
		Scope: r.scope, JKT: r.jkt, IssuedAt: r.issuedAt.Time, ExpiresAt: r.expires.Time, RevokedAt: r.revokedAt.Time,
		App: app.ID(r.app), Org: workspace.ID(r.org), Slug: r.slug, Name: r.name, Enabled: r.enabled,
		Granted: granted, Listed: r.listed, Withdrawn: withdrawn, RevokedBefore: r.before.Time,
	}
	return nil
}
