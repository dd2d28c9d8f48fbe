package signin

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// Entrants returns the port that reads accounts for a login.
func Entrants(tx *sqlstore.Tx) signin.Entrants { return entrants{tx} }

type entrants struct{ tx *sqlstore.Tx }

// entrantRow is an account with everything that a login needs of it.
type entrantRow struct {
	sqlstore.UserRow

	OrgID         sql.NullString   `db:"org_id"`
	Grants        sql.NullString   `db:"grants"`
	Groups        sql.NullString   `db:"groups"`
	Rights        sql.NullInt64    `db:"rights"`
	JoinedAt      sqlstore.Instant `db:"joined_at"`
	MemberVersion sql.NullInt64    `db:"member_version"`
	Methods       sql.NullString   `db:"allowed_methods"`
	MFA           sql.NullString   `db:"mfa"`
	RulesRevision sql.NullInt64    `db:"rules_revision"`
	RulesAt       sqlstore.Instant `db:"rules_at"`
	DisabledAt    sqlstore.Instant `db:"disabled_at"`
	DeletedAt     sqlstore.Instant `db:"deleted_at"`
	LastActive    bool             `db:"last_active"`
	Factors       sql.NullString   `db:"factors"`
	FactorVersion sql.NullInt64    `db:"factor_version"`
	Passkey       bool             `db:"passkey"`
	Known         bool             `db:"known"`
	SeenAt        sqlstore.Instant `db:"seen_at"`
	Joins         bool             `db:"joins"`
}

// The workspaces that an account u enters if none is named.
const (
	home       = `(SELECT p.id FROM workspaces p WHERE p.personal_of = u.id)`
	lastActive = `COALESCE((SELECT l.id FROM workspaces l JOIN members b ON b.org_id = l.id AND b.user_id = u.id
		WHERE l.id = u.last_org AND l.deleted_at IS NULL AND l.disabled_at IS NULL), ` + home + `)`
)

// Entrant reads an account for a login in a single statement.
func (r entrants) Entrant(ctx context.Context, who signin.LoginTarget) (signin.Entrant, error) {
	entered, args := lastActive, []any{who.Client}
	switch {
	case who.Org != "":
		entered, args = `?`, append(args, who.Org.String())
	case who.Home:
		entered = home
	}
	var found entrantRow
	err := r.tx.One(ctx, &found, user.ErrNotFound, `SELECT `+sqlstore.Qualified("u", sqlstore.UserColumns)+`,
			w.allowed_methods, `+workspaces.RequiredMFA+` AS mfa, w.rules_revision, w.rules_at, w.disabled_at, w.deleted_at, COALESCE(COALESCE(NULLIF(u.last_org, ''), `+home+`) = m.org_id, FALSE) AS last_active,
			m.org_id, m.grants, m.groups, w.rights, m.joined_at, m.version AS member_version, f.content AS factors, f.version AS factor_version,
			EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id) AS passkey,
			EXISTS (SELECT 1 FROM known_clients k WHERE k.user_id = u.id) AS known,
			(SELECT k.seen_at FROM known_clients k WHERE k.user_id = u.id AND k.client = ?) AS seen_at,
			EXISTS (SELECT 1 FROM mail_domains d WHERE d.auto_join AND d.verified_at IS NOT NULL) AS joins
		FROM users u LEFT JOIN members m ON m.user_id = u.id AND m.org_id = `+entered+`
			LEFT JOIN workspaces w ON w.id = m.org_id
			LEFT JOIN second_factors f ON f.user_id = u.id
		WHERE u.id = ?`, append(args, who.Person.String())...)
	if err != nil {
		return signin.Entrant{}, err
	}
	return entrant(r.tx.Store(), &found)
}

func entrant(store *sqlstore.Store, found *entrantRow) (signin.Entrant, error) {
	account, err := store.UserSnapshot(&found.UserRow)
	if err != nil {
		return signin.Entrant{}, err
	}
	e := signin.Entrant{
		User: user.Restore(account, found.Version), Factors: mfa.None(found.ID), Passkey: found.Passkey, Joins: found.Joins,
		Client: notice.Client{First: !found.Known, SeenAt: found.SeenAt.Time},
	}
	if found.OrgID.Valid && found.DeletedAt.IsZero() {
		e.LastActive = found.LastActive
		if e.Entry, err = entryOf(found); err != nil {
			return e, err
		}
		org := workspace.ID(found.OrgID.String)
		if e.Held, err = sqlstore.HoldingOf(org, found.Grants.String, found.Groups.String, found.Rights.Int64); err != nil {
			return e, err
		}
		e.Member, err = workspaces.RestoreMember(org, found.ID, workspaces.MemberRow{
			Grants: found.Grants.String, JoinedAt: found.JoinedAt, Version: found.MemberVersion.Int64,
		})
	}
	if err == nil && found.Factors.Valid {
		e.Factors, err = store.SecondFactors(found.ID, found.Factors.String, found.FactorVersion.Int64)
	}
	return e, err
}

// entryOf returns the entry requirements of the workspace.
func entryOf(found *entrantRow) (workspace.Entry, error) {
	e := workspace.Entry{
		Disabled: !found.DisabledAt.IsZero(), Rules: workspace.RulesMark{Revision: found.RulesRevision.Int64, At: found.RulesAt.Time},
	}
	var err error
	if e.AllowedMethods, err = sqlstore.DecodeList[workspace.Method](found.Methods.String); err != nil {
		return e, fmt.Errorf("decode the allowed methods of a workspace: %w", err)
	}
	e.MFA, err = workspaces.MFARequired(found.MFA)
	return e, err
}

// Remember updates the row of the account but not its version, because the aggregate does not
// contain what changes.
func (r entrants) Remember(ctx context.Context, person user.ID, org workspace.ID) error {
	if _, err := r.tx.Exec(ctx, `UPDATE users SET last_org = ? WHERE id = ?`, org.String(), person.String()); err != nil {
		return fmt.Errorf("remember the active workspace: %w", err)
	}
	return nil
}
