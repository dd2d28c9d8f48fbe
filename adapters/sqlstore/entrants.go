package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Entrants gives those who want in.
func (t *Tx) Entrants() outbound.Entrants { return entrants{t} }

type entrants struct{ tx *Tx }

// entrantRow is somebody who wants in, as they are stored.
type entrantRow struct {
	userRow

	OrgID         sql.NullString `db:"org_id"`
	Grants        sql.NullString `db:"grants"`
	JoinedAt      instant        `db:"joined_at"`
	MemberVersion sql.NullInt64  `db:"member_version"`
	Factors       sql.NullString `db:"factors"`
	FactorVersion sql.NullInt64  `db:"factor_version"`
	Passkey       bool           `db:"passkey"`
	Known         bool           `db:"known"`
	SeenAt        instant        `db:"seen_at"`
}

// Entrant reads one by a single statement: every login asks for all of it.
func (r entrants) Entrant(ctx context.Context, who outbound.Entering) (outbound.Entrant, error) {
	entered, args := `(SELECT w.id FROM workspaces w WHERE w.personal_of = u.id)`, []any{who.Client}
	if who.Org != "" {
		entered, args = `?`, append(args, who.Org.String())
	}
	var found entrantRow
	err := r.tx.q.get(ctx, &found, `SELECT `+qualified("u", userColumns)+`,
			m.org_id, m.grants, m.joined_at, m.version AS member_version, f.content AS factors, f.version AS factor_version,
			EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id) AS passkey,
			EXISTS (SELECT 1 FROM known_clients k WHERE k.user_id = u.id) AS known,
			(SELECT k.seen_at FROM known_clients k WHERE k.user_id = u.id AND k.client = ?) AS seen_at
		FROM users u LEFT JOIN members m ON m.user_id = u.id AND m.org_id = `+entered+`
			LEFT JOIN second_factors f ON f.user_id = u.id
		WHERE u.id = ?`, append(args, who.Person.String())...)
	if errors.Is(err, sql.ErrNoRows) {
		return outbound.Entrant{}, user.ErrNotFound
	}
	if err != nil {
		return outbound.Entrant{}, fmt.Errorf("read who wants in: %w", err)
	}
	return r.tx.store.entrant(&found)
}

func (s *Store) entrant(found *entrantRow) (outbound.Entrant, error) {
	account, err := s.userSnapshot(&found.userRow)
	if err != nil {
		return outbound.Entrant{}, err
	}
	e := outbound.Entrant{
		User: user.Restore(account, found.Version), Factors: mfa.None(found.ID), Passkey: found.Passkey,
		Client: notice.Client{First: !found.Known, SeenAt: found.SeenAt.Time},
	}
	if found.OrgID.Valid {
		e.Member, err = restoreMember(workspace.ID(found.OrgID.String), found.ID, memberRow{
			Grants: found.Grants.String, JoinedAt: found.JoinedAt, Version: found.MemberVersion.Int64,
		})
	}
	if err == nil && found.Factors.Valid {
		e.Factors, err = s.factors(found.ID, found.Factors.String, found.FactorVersion.Int64)
	}
	return e, err
}
