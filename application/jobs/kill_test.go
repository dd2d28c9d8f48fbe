package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

var errKilled = errors.New("killed")

// mortal is the store of a replica that is killed at one of its transactions: after its
// last statement, so that it is not committed, or right after its commit.
type mortal struct {
	outbound.Transactions

	unit outbound.Unit[jobs.Repos]
	// left are the transactions until then.
	left int
	// committed reports whether the last one is.
	committed, dead bool
}

type withinKey struct{}

// Within is one transaction.
func (m *mortal) Within(ctx context.Context, work func(ctx context.Context) bool) error {
	return m.live(func(last bool) error {
		return m.Transactions.Within(ctx, func(ctx context.Context) bool {
			return work(context.WithValue(ctx, withinKey{}, true)) && (!last || m.committed)
		})
	})
}

// Do is one transaction, unless it is within another.
func (m *mortal) Do(ctx context.Context, change func(tx jobs.Repos) error) error {
	if ctx.Value(withinKey{}) != nil {
		return m.unit.Do(ctx, change)
	}
	return m.live(func(last bool) error {
		return m.unit.Do(ctx, func(tx jobs.Repos) error {
			if err := change(tx); err != nil || !last || m.committed {
				return err
			}
			return errKilled
		})
	})
}

func (m *mortal) live(transaction func(last bool) error) error {
	if m.dead {
		return errKilled
	}
	m.left--
	m.dead = m.left == 0
	if err := transaction(m.dead); err != nil {
		return err
	}
	if m.dead {
		return errKilled
	}
	return nil
}

// killed lets a replica work until it is killed; it reports false when it came to the end.
func killed(t *testing.T, h *harness.Service, left int, committed bool) bool {
	t.Helper()
	m := &mortal{Transactions: h.Jobs.Transactions, unit: h.Jobs.Unit, left: left, committed: committed}
	runner := *h.Jobs
	runner.Transactions, runner.Unit = m, m
	if _, err := runner.Pass(t.Context()); err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return m.dead
}

// lapse ends all leases.
func lapse(t *testing.T, h *harness.Service) {
	t.Helper()
	if _, err := h.Store.Database().Write.ExecContext(t.Context(), `UPDATE jobs SET lease_until = created_at WHERE status = 'running'`); err != nil {
		t.Fatal(err)
	}
}

// stateOf is how far a job is, in a line.
func stateOf(root *harness.Actor, id string) string {
	j := root.Do("JOB.GET", P{"job_id": id}).OK()
	why, _ := j.Data["job"].(P)["reason"].(string)
	return fmt.Sprintf("%s %d/%d %d %s", j.String("job.status"), j.Int("job.done"), j.Int("job.total"), j.Int("job.errors"), why)
}

// people makes accounts.
func people(root *harness.Actor, name string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = root.Do("USER.CREATE", P{"email": fmt.Sprintf("%s%d@example.com", name, i)}).OK().String("user.id")
	}
	return ids
}

// A replica is killed at each of its transactions, before and after the commit; another
// one goes on. Each account is deleted once, and each refusal told once.
func TestDeletionSurvivesEveryKill(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h, other := harness.On(t, database), harness.On(t, database)
		root := h.Superadmin()
		root.Do("RATE_LIMIT.SET", P{"command": "*", "key": "token", "limit": 1_000_000, "window_seconds": 60}).OK()
		for left, alive := 1, true; alive; left++ {
			for _, committed := range []bool{false, true} {
				ids := people(root, fmt.Sprintf("p%d%v", left, committed), 2)
				before := len(h.Events("user.deleted"))
				id := root.Do("USER.BULK_DELETE", P{"user_ids": append(ids, root.UserID)}).OK().String("job_id")
				alive = killed(t, h, left, committed)
				lapse(t, h)
				other.RunJobs()
				if got := stateOf(root, id); got != "succeeded 3/3 1 " {
					t.Errorf("killed at %d (committed: %v): %s", left, committed, got)
				}
				if got := len(h.Events("user.deleted")) - before; got != 2 {
					t.Errorf("killed at %d (committed: %v): %d accounts were deleted", left, committed, got)
				}
				refused := root.Do("JOB.RESULT_GET", P{"job_id": id, "part": "errors"}).List("items")
				if len(refused) != 1 || refused[0]["item"] != root.UserID {
					t.Errorf("killed at %d (committed: %v): refused are %v", left, committed, refused)
				}
			}
			if left > 50 {
				t.Fatal("the job does not end")
			}
		}
	})
}

// An export that is cut off at each of its transactions has each account once.
func TestExportSurvivesEveryKill(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h, other := harness.On(t, database), harness.On(t, database)
		root := h.Superadmin()
		root.Do("RATE_LIMIT.SET", P{"command": "*", "key": "token", "limit": 1_000_000, "window_seconds": 60}).OK()
		const many = 450
		var rows []P
		for i := range many {
			rows = append(rows, P{"email": fmt.Sprintf("u%d@example.com", i)})
		}
		root.Do("USER.BULK_IMPORT", P{"users": rows}).OK()
		for left, alive := 1, true; alive; left++ {
			for _, committed := range []bool{false, true} {
				id := root.Do("USER.BULK_EXPORT", P{"format": "csv"}).OK().String("job_id")
				alive = killed(t, h, left, committed)
				lapse(t, h)
				other.RunJobs()
				if got := stateOf(root, id); got != fmt.Sprintf("succeeded %d/%d 0 ", many+1, many+1) {
					t.Errorf("killed at %d (committed: %v): %s", left, committed, got)
				}
				lines := results(root, id)
				seen := map[any]bool{}
				for _, line := range lines {
					seen[line] = true
				}
				if len(lines) != many+2 || len(seen) != len(lines) {
					t.Errorf("killed at %d (committed: %v): %d lines, %d of them different", left, committed, len(lines), len(seen))
				}
			}
			if left > 50 {
				t.Fatal("the job does not end")
			}
		}
		if events := h.Events("user.exported"); len(events) != len(h.Events("job.completed")) {
			t.Errorf("%d exports are told of %d", len(events), len(h.Events("job.completed")))
		}
	})
}

// results are all rows of data of a job.
func results(root *harness.Actor, id string) []any {
	var all []any
	for params := (P{"job_id": id}); ; {
		page := root.Do("JOB.RESULT_GET", params).OK()
		items, _ := page.Data["items"].([]any)
		all = append(all, items...)
		next, more := page.Data["next_cursor"].(string)
		if !more {
			return all
		}
		params["cursor"] = next
	}
}

// An import that is cut off goes on where it was saved: each account is made once, and of
// each row is told once what became of it.
func TestImportSurvivesKills(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h, other := harness.On(t, database), harness.On(t, database)
		root := h.Superadmin()
		const many = 1001
		rows := make([]P, many)
		for i := range rows {
			rows[i] = P{"email": fmt.Sprintf("u%d@example.com", i), "sub": fmt.Sprintf("auth0|%d", i)}
		}
		rows[700] = P{"email": "bad"}
		before := len(h.Events("user.created"))
		id := root.Do("USER.BULK_IMPORT", P{"users": rows}).OK().String("job_id")
		for _, committed := range []bool{false, true} {
			killed(t, h, 7, committed)
			if got := stateOf(root, id); !strings.HasPrefix(got, "running ") {
				t.Fatalf("before it was killed: %s", got)
			}
			lapse(t, h)
		}
		other.RunJobs()
		if got := stateOf(root, id); got != "succeeded 1001/1001 1 " {
			t.Errorf("the job ended as %s", got)
		}
		if got := len(h.Events("user.created")) - before; got != many-1 {
			t.Errorf("%d accounts were made", got)
		}
		reported, cursor := 0, ""
		for next := true; next; next = cursor != "" {
			params := P{"job_id": id}
			if cursor != "" {
				params["cursor"] = cursor
			}
			page := root.Do("JOB.RESULT_GET", params).OK()
			for _, row := range page.List("items") {
				status := "imported"
				if reported == 700 {
					status = "failed"
				}
				if row["index"] != float64(reported) || row["status"] != status {
					t.Fatalf("row %d is told as %v", reported, row)
				}
				reported++
			}
			cursor, _ = page.Data["next_cursor"].(string)
		}
		if reported != many {
			t.Errorf("%d rows were told of", reported)
		}
	})
}

// A deleted workspace is emptied, whichever step a replica is killed at.
func TestEmptyingSurvivesEveryKill(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h, other := harness.On(t, database), harness.On(t, database)
		root := h.Superadmin()
		root.Do("RATE_LIMIT.SET", P{"command": "*", "key": "token", "limit": 1_000_000, "window_seconds": 60}).OK()
		for left, alive := 1, true; alive; left++ {
			for _, committed := range []bool{false, true} {
				slug := fmt.Sprintf("engines-%d-%v", left, committed)
				org := root.Do("TEAM.CREATE", P{"name": "Engines", "slug": slug}).OK().String("organization.id")
				root.Do("USER.CREATE", P{"email": slug + "@example.com", "org_id": org, "role": "member"}).OK()
				root.Do("TEAM.INVITE", P{"org_id": org, "email": "to." + slug + "@example.com", "role": "member"}).OK()
				root.Do("TEAM.DELETE", P{"org_id": org, "confirm_slug": slug}).OK()
				id, _ := root.Do("JOB.LIST", P{"kind": "team.delete"}).OK().List("items")[0]["id"].(string)
				alive = killed(t, h, left, committed)
				lapse(t, h)
				other.RunJobs()
				if got := stateOf(root, id); got != "succeeded 3/3 0 " {
					t.Errorf("killed at %d (committed: %v): %s", left, committed, got)
				}
				var rows int
				if err := h.Store.Database().Read.GetContext(t.Context(), &rows, `SELECT COUNT(*) FROM workspaces WHERE deleted_at IS NOT NULL`); err != nil || rows != 0 {
					t.Errorf("killed at %d (committed: %v): %d deleted workspaces are left (%v)", left, committed, rows, err)
				}
			}
			if left > 50 {
				t.Fatal("the job does not end")
			}
		}
	})
}

// The service's own job goes on though its maker is gone, and is never given up.
func TestEmptyingNeedsNobody(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	ada := h.SignUp("ada@example.com")
	org := ada.Do("TEAM.CREATE", P{"name": "Engines", "slug": "engines"}).OK().String("organization.id")
	ada.Do("TEAM.DELETE", P{"org_id": org, "confirm_slug": "engines"}).OK()
	id, _ := ada.Do("JOB.LIST", nil).OK().List("items")[0]["id"].(string)
	ada.Do("JOB.CANCEL", P{"job_id": id}).Fails(fault.Validation)
	root.Do("USER.DELETE", P{"user_id": ada.UserID}).OK()
	for range job.MaxTurns + 1 {
		killed(t, h, 1, true)
		lapse(t, h)
	}
	h.RunJobs()
	if got := stateOf(root, id); got != "succeeded 0/0 0 " {
		t.Error(got)
	}
}
