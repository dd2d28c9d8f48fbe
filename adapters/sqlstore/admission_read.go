package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// admissionState is what a batch of asks needs to know.
type admissionState struct {
	revision   int64
	identities map[session.ID]*identityRow
	counters   map[string]*counter
}

// identityRow is a session with its account and its roles in the active
// workspace, as they are stored.
type identityRow struct {
	session sessionRow
	user    userRow
	grants  string
}

// What a row of the statement for admissions is about.
const (
	aboutIdentity = iota
	aboutCounter
	aboutInstance
)

// admissionText reads everything that a batch asks, in rows of four columns which
// all have, and those of an identity, which the others leave empty.
func admissionText() string {
	columns := strings.Split(qualified("s", sessionColumns)+", "+qualified("u", userColumns), ", ")
	empty := strings.Repeat(", NULL", len(columns)+1)
	return `SELECT 0 AS about, s.id AS key, s.version AS version, CAST(NULL AS {bytes}) AS state, ` +
		strings.Join(columns, ", ") + `, COALESCE(m.grants, '') AS grants
		FROM sessions s JOIN users u ON u.id = s.user_id
			LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = s.user_id
		WHERE s.id {any id text}
	UNION ALL SELECT 1, l.key, l.version, l.state` + empty + `
		FROM rate_limits l WHERE l.key {any key text}
	UNION ALL SELECT 2, '', i.revision, NULL` + empty + ` FROM instance i WHERE i.id = 1`
}

// qualified puts the name of a table before each of a list of columns.
func qualified(table, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		names[i] = table + "." + strings.TrimSpace(name)
	}
	return strings.Join(names, ", ")
}

// read answers what a batch of asks needs to know.
func (a *admission) read(ctx context.Context, q *queries, asks []outbound.AdmissionAsk) (*admissionState, error) {
	state := &admissionState{identities: map[session.ID]*identityRow{}, counters: map[string]*counter{}}
	var sessionIDs, keys rows
	for _, ask := range asks {
		if _, known := state.identities[ask.Session]; !known && ask.Session != "" {
			state.identities[ask.Session] = nil
			sessionIDs = append(sessionIDs, []any{ask.Session.String()})
		}
		for _, check := range ask.Checks {
			if state.counters[check.Key] == nil {
				state.counters[check.Key] = &counter{key: check.Key}
				keys = append(keys, []any{check.Key})
			}
		}
	}
	stmt, bound, err := q.ready(ctx, a.text, []any{sessionIDs, keys})
	if err != nil {
		return nil, fmt.Errorf("prepare to read for admissions: %w", err)
	}
	found, err := stmt.QueryContext(ctx, bound...)
	if err != nil {
		return nil, fmt.Errorf("read for admissions: %w", err)
	}
	defer found.Close()
	if err := state.scan(found); err != nil {
		return nil, fmt.Errorf("read for admissions: %w", err)
	}
	return state, nil
}

// scan takes all rows in.
func (a *admissionState) scan(found *sql.Rows) error {
	var one admissionRow
	instances := 0
	for found.Next() {
		if err := found.Scan(one.common()...); err != nil {
			return err
		}
		switch one.about {
		case aboutIdentity:
			identity := &identityRow{}
			if err := found.Scan(one.whole(identity)...); err != nil {
				return err
			}
			a.identities[identity.session.ID] = identity
		case aboutCounter:
			known := a.counters[one.key]
			known.base, known.state = one.version, one.state
		case aboutInstance:
			a.revision = one.version
			instances++
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	if instances == 0 {
		return errNoInstance
	}
	return nil
}

// admissionRow is one row of the statement for admissions, and where Scan puts it.
type admissionRow struct {
	about   int64
	key     string
	version int64
	state   []byte

	commonInto, wholeInto []any
}

// commonColumns is how many columns all rows have.
const commonColumns = 4

// common leaves out what only identities have.
func (r *admissionRow) common() []any {
	r.state = nil
	if r.commonInto == nil {
		r.commonInto = []any{&r.about, &r.key, &r.version, &r.state}
		for range len(r.whole(&identityRow{})) - commonColumns {
			r.commonInto = append(r.commonInto, ignored{})
		}
	}
	return r.commonInto
}

// whole is for the row of an identity.
func (r *admissionRow) whole(i *identityRow) []any {
	s, u := &i.session, &i.user
	r.wholeInto = append(r.wholeInto[:0], ignored{}, ignored{}, ignored{}, ignored{},
		(*string)(&s.ID), (*string)(&s.UserID), (*string)(&s.OrgID), &s.CreatedAt, &s.AuthTime, &s.AMR, &s.IP, &s.UserAgent,
		(*string)(&s.Refresh), (*string)(&s.Previous), &s.RotatedAt, &s.LastUsedAt, &s.IdleSeconds, &s.ExpiresAt,
		&s.EndedAt, &s.EndReason, &s.Version,
		(*string)(&u.ID), &u.Email, &u.EmailVerified, &u.DisplayName, &u.Avatar, &u.Locale, &u.Timezone, &u.ExternalID,
		&u.Metadata, &u.Superadmin, (*string)(&u.Status), &u.DisabledUntil, &u.DisabledWhy, &u.CreatedAt, &u.UpdatedAt,
		&u.LastLoginAt, &u.Version,
		&i.grants)
	return r.wholeInto
}

// ignored takes a column that nobody wants.
type ignored struct{}

// Scan does nothing.
func (ignored) Scan(any) error { return nil }
