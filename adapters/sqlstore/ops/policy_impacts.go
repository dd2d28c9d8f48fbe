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
	// mostExamples is how many of those who are touched are named.
	mostExamples = 10
	// openedAtOnce is how many second factors are opened between two looks at the store.
	openedAtOnce = 1000
)

// PolicyImpacts finds people whom a change of a policy would touch.
func PolicyImpacts(store *sqlstore.Store) ops.PolicyImpacts { return policyImpacts{store} }

type policyImpacts struct{ store *sqlstore.Store }

// within narrows a table with a column user_id to the members of a workspace.
func within(f *sqlstore.Filter, org workspace.ID) {
	f.Unless(org == "", "EXISTS (SELECT 1 FROM members m WHERE m.org_id = ? AND m.user_id = t.user_id)", org.String())
}

// touched counts the people of the rows of a table, named t, and names some. Who belongs to
// an account that was deleted is not among them.
func (d policyImpacts) touched(ctx context.Context, table string, f *sqlstore.Filter, having string, args ...any) (ops.Touched, error) {
	people := "SELECT t.user_id FROM " + table + " t" + f.String() + " GROUP BY t.user_id" + having
	var found struct {
		Count int `db:"count"`
	}
	all := append(append([]any{}, f.Args...), args...)
	if err := d.store.Reader(ctx).Get(ctx, &found, "SELECT COUNT(*) AS count FROM ("+people+") AS touched", all...); err != nil {
		return ops.Touched{}, fmt.Errorf("count whom a policy touches: %w", err)
	}
	touched := ops.Touched{Count: found.Count}
	err := d.store.Reader(ctx).List(ctx, &touched.Examples, people+" ORDER BY t.user_id DESC LIMIT ?", append(all, mostExamples)...)
	if err != nil {
		return ops.Touched{}, fmt.Errorf("name whom a policy touches: %w", err)
	}
	return touched, nil
}

// accounts returns those of the instance, or the members of a workspace, as a table with user_id.
func accounts(org workspace.ID) string {
	if org != "" {
		return "members"
	}
	return "(SELECT id AS user_id, email_verified FROM users)"
}

// unkeyed is the condition that somebody has no passkey.
const unkeyed = "NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = t.user_id)"

// WithoutFactor looks at who has no row, then opens the rows of the others: whether there is
// a factor in one is sealed.
func (d policyImpacts) WithoutFactor(ctx context.Context, org workspace.ID) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Unless(org == "", "t.org_id = ?", org.String())
	f.Where(unkeyed + " AND NOT EXISTS (SELECT 1 FROM second_factors s WHERE s.user_id = t.user_id)")
	touched, err := d.touched(ctx, accounts(org), f, "")
	for after, more := "", true; more && err == nil; {
		after, more, err = d.openFactors(ctx, org, after, &touched)
	}
	return touched, err
}

// openFactors adds those of a batch of rows that hold no second factor. It returns where the
// next batch begins, and whether there may be one.
func (d policyImpacts) openFactors(ctx context.Context, org workspace.ID, after string, touched *ops.Touched) (string, bool, error) {
	var found []struct {
		UserID  user.ID `db:"user_id"`
		Content string  `db:"content"`
	}
	f := &sqlstore.Filter{}
	f.Where("t.user_id > ? AND "+unkeyed, after)
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

// WithDevice looks at remembered devices.
func (d policyImpacts) WithDevice(ctx context.Context, org workspace.ID, before, now time.Time) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.expires_at > ? AND t.created_at <= ?", sqlstore.At(now), sqlstore.At(before))
	within(f, org)
	return d.touched(ctx, "devices", f, "")
}

// WithSession looks at sessions that hold.
func (d policyImpacts) WithSession(ctx context.Context, org workspace.ID, begun, used, now time.Time) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.ended_at IS NULL AND t.expires_at > ? AND (t.created_at <= ? OR t.last_used_at <= ?)", sqlstore.At(now), sqlstore.At(begun), sqlstore.At(used))
	within(f, org)
	return d.touched(ctx, "sessions", f, "")
}

// WithPassword looks at credentials.
func (d policyImpacts) WithPassword(ctx context.Context, org workspace.ID) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.hash <> ''")
	within(f, org)
	return d.touched(ctx, "credentials", f, "")
}

// WithFailures looks at the events of failed logins.
func (d policyImpacts) WithFailures(ctx context.Context, org workspace.ID, least int, since time.Time) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("t.kind = 'login.failed' AND t.user_id <> '' AND t.id >= ?", event.EarliestID(since).String())
	within(f, org)
	return d.touched(ctx, "events", f, " HAVING COUNT(*) >= ?", least)
}

// Unproved looks at accounts.
func (d policyImpacts) Unproved(ctx context.Context) (ops.Touched, error) {
	f := &sqlstore.Filter{}
	f.Where("NOT t.email_verified")
	return d.touched(ctx, accounts(""), f, "")
}
