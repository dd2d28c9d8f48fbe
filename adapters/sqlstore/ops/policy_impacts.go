package ops

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

const (
	// mostExamples is how many of the affected users are returned as examples.
	mostExamples = 10
	// openedAtOnce is how many rows of second factors are read by one statement.
	openedAtOnce = 1000
)

// PolicyImpacts returns the directory that finds users who would be affected by a change of a policy.
func PolicyImpacts(store *sqlstore.Store) ops.PolicyImpacts { return policyImpacts{store} }

type policyImpacts struct{ store *sqlstore.Store }

// within adds the condition that the user of a row, of a table named t, is a member of the workspace,
// unless that is "".
func within(f *sqlstore.Filter, org workspace.ID) {
	f.Unless(org == "", "EXISTS (SELECT 1 FROM members m WHERE m.org_id = ? AND m.user_id = t.user_id)", org.String())
}

// touched counts the users of the rows of a table, named t, that match a filter, and returns the latest
// as examples. Deleted accounts have no rows.
func (d policyImpacts) touched(ctx context.Context, table string, f *sqlstore.Filter, having string, args ...any) (ops.Touched, error) {
	people := "SELECT t.user_id FROM " + table + " t" + f.String() + " GROUP BY t.user_id" + having
	var found struct {
		Count int `db:"count"`
	}
	all := append(append([]any{}, f.Args...), args...)
	if err := d.store.Reader(ctx).Get(ctx, &found, "SELECT COUNT(*) AS count FROM ("+people+") AS touched", all...); err != nil {
		return ops.Touched{}, fmt.Errorf("count the users affected by a policy: %w", err)
	}
	touched := ops.Touched{Count: found.Count}
	err := d.store.Reader(ctx).List(ctx, &touched.Examples, people+" ORDER BY t.user_id DESC LIMIT ?", append(all, mostExamples)...)
	if err != nil {
		return ops.Touched{}, fmt.Errorf("list users affected by a policy: %w", err)
	}
	return touched, nil
}

// accounts returns the table, with a column user_id, of the members of a workspace, or of all accounts
// for "".
func accounts(org workspace.ID) string {
	if org != "" {
		return "members"
	}
	return "(SELECT id AS user_id, email_verified FROM users)"
}

// withoutKey is the condition that the user of a row of a table t has no passkey.
const withoutKey = "NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = t.user_id)"

// WithoutFactor counts the users without a row of second factors, then decrypts the rows of the others,
// which may have no factor enrolled.
func (d policyImpacts) WithoutFactor(ctx context.Context, org workspace.ID) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Unless(org == "", "t.org_id = ?", org.String())
	f.Where(withoutKey + " AND NOT EXISTS (SELECT 1 FROM second_factors s WHERE s.user_id = t.user_id)")
	touched, err := d.touched(ctx, accounts(org), f, "")
	for after, more := "", true; more && err == nil; {
		after, more, err = d.openFactors(ctx, org, after, &touched)
	}
	return touched, err
}

// openFactors adds the users of a batch of rows without an enrolled factor. It returns the last user
// of the batch, and whether there may be another batch.
func (d policyImpacts) openFactors(ctx context.Context, org workspace.ID, after string, touched *ops.Touched) (string, bool, error) {
	var found []struct {
		UserID  user.ID `db:"user_id"`
		Content string  `db:"content"`
	}
	f := &sqlstore.Filter{}
	f.Where("t.user_id > ? AND "+withoutKey, after)
	within(f, org)
	err := d.store.Reader(ctx).List(ctx, &found, "SELECT t.user_id, t.content FROM second_factors t"+f.String()+" ORDER BY t.user_id LIMIT ?", append(f.Args, openedAtOnce)...)
	if err != nil {
		return "", false, fmt.Errorf("look for second factors: %w", err)
	}
	for _, row := range found {
		factors, err := d.store.SecondFactors(row.UserID, row.Content, 1)
		if err != nil {
			return "", false, err
		}
		after = row.UserID.String()
		if factors.Enrolled() {
			continue
		}
		if touched.Count++; len(touched.Examples) < mostExamples {
			touched.Examples = append(touched.Examples, row.UserID)
		}
	}
	return after, len(found) == openedAtOnce, nil
}

// WithDevice finds the users with a remembered device created until a time.
func (d policyImpacts) WithDevice(ctx context.Context, org workspace.ID, before, now time.Time) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.expires_at > ? AND t.created_at <= ?", sqlstore.At(now), sqlstore.At(before))
	within(f, org)
	return d.touched(ctx, "devices", f, "")
}

// WithSession finds the users with a valid session that began or was last used until a time.
func (d policyImpacts) WithSession(ctx context.Context, org workspace.ID, begun, used, now time.Time) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.ended_at IS NULL AND t.expires_at > ? AND (t.created_at <= ? OR t.last_used_at <= ?)", sqlstore.At(now), sqlstore.At(begun), sqlstore.At(used))
	within(f, org)
	return d.touched(ctx, "sessions", f, "")
}

// WithPassword finds the users who have a password.
func (d policyImpacts) WithPassword(ctx context.Context, org workspace.ID) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.hash <> ''")
	within(f, org)
	return d.touched(ctx, "credentials", f, "")
}

// WithFailures finds the users with at least so many failed sign-ins since a time.
func (d policyImpacts) WithFailures(ctx context.Context, org workspace.ID, least int, since time.Time) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.kind = 'login.failed' AND t.user_id <> '' AND t.id >= ?", event.EarliestID(since).String())
	within(f, org)
	return d.touched(ctx, "events", f, " HAVING COUNT(*) >= ?", least)
}

// Unproved finds the users whose email address is not verified.
func (d policyImpacts) Unproved(ctx context.Context) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("NOT t.email_verified")
	return d.touched(ctx, accounts(""), f, "")
}
