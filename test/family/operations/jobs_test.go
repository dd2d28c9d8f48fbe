package operations_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

func export(by *harness.Actor) string { return by.Do("USER.BULK_EXPORT", nil).OK().String("job_id") }

// another is a superadmin besides the first.
func another(h *harness.Service, root *harness.Actor, email string) *harness.Actor {
	made := h.SignUp(email)
	root.Do("USER.SET_SUPERADMIN", P{"user_id": made.UserID, "is_superadmin": true}).OK()
	return made
}

func jobListed(by *harness.Actor, params P) []string {
	ids := []string{}
	for _, item := range by.Do("JOB.LIST", params).OK().List("items") {
		ids = append(ids, fmt.Sprint(item["id"]))
	}
	return ids
}

// The jobs of the instance are seen by superadmins and by whoever started them; what they
// left is their maker's alone.
func TestWhoseJobsAre(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		other, person := another(h, root, "other@example.com"), h.SignUp("person@example.com")
		key := h.With(root.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"users:manage"}}).OK().String("key"))
		idle := h.With(root.Do("API_KEY.CREATE", P{"name": "idle", "scopes": []string{"*"}}).OK().String("key"))
		machine := root.Machine("worker", "users:manage", "jobs:write")
		mine, byKey, byMachine := export(root), export(key), export(machine)
		h.RunJobs()
		for name, c := range map[string]struct {
			by           *harness.Actor
			lists, reads []string
		}{
			"the maker":          {root, []string{byMachine, byKey, mine}, []string{byKey, mine}},
			"another superadmin": {other, []string{byMachine, byKey, mine}, nil},
			"the key":            {key, []string{byKey}, []string{byKey}},
			"another key":        {idle, []string{}, nil},
			"the machine":        {machine, []string{byMachine}, []string{byMachine}},
			"somebody":           {person, []string{}, nil},
		} {
			if got := jobListed(c.by, nil); !slices.Equal(got, c.lists) {
				t.Errorf("%s lists %v, want %v", name, got, c.lists)
			}
			for _, id := range []string{mine, byKey, byMachine} {
				got := c.by.Do("JOB.GET", P{"job_id": id})
				if seen := slices.Contains(c.lists, id); seen != (got.Failure == nil) || !seen && got.Failure.Code != fault.NotFound {
					t.Errorf("%s asks for %s: %v", name, id, got.Failure)
				}
				rows := c.by.Do("JOB.RESULT_GET", P{"job_id": id})
				if may := slices.Contains(c.reads, id); may != (rows.Failure == nil) || !may && rows.Failure.Code != fault.NotFound {
					t.Errorf("%s reads %s: %v", name, id, rows.Failure)
				}
			}
		}
		waiting := export(root)
		person.Do("JOB.CANCEL", P{"job_id": waiting}).Fails(fault.NotFound)
		machine.Do("JOB.CANCEL", P{"job_id": waiting}).Fails(fault.NotFound)
		other.Do("JOB.CANCEL", P{"job_id": waiting}).OK()
		if got := jobListed(root, P{"status": "canceled"}); !slices.Equal(got, []string{waiting}) {
			t.Errorf("canceled are %v", got)
		}
		if got := jobListed(root, P{"kind": "user.bulk_delete"}); len(got) != 0 {
			t.Errorf("deletions are %v", got)
		}
	})
}

// Who lost the right to do what a job did does not read what it left.
func TestResultsOfMakersWhoWereDemoted(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	maker := another(h, root, "maker@example.com")
	id := export(maker)
	h.RunJobs()
	maker.Do("JOB.RESULT_GET", P{"job_id": id}).OK()
	root.Do("USER.SET_SUPERADMIN", P{"user_id": maker.UserID, "is_superadmin": false}).OK()
	if after := h.Login("maker@example.com", harness.Password); after.Do("JOB.GET", P{"job_id": id}).OK().String("job.status") != "succeeded" {
		t.Error("the maker does not see the job")
	} else {
		after.Do("JOB.RESULT_GET", P{"job_id": id}).Fails(fault.Denied)
	}
}

// What a job collected in a workspace is read by those who may still collect it there, whatever
// they may do in a workspace of their own.
func TestResultsOfMakersWhoLeft(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada, eve := h.Superadmin(), h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
	root.Do("TEAM.MEMBER_ADD", P{"user_id": eve.UserID, "org_id": ada.OrgID, "role": "admin"}).OK()
	now := h.Clock.Now()
	id := eve.Do("AUDIT.EXPORT", P{
		"org_id": ada.OrgID, "from": now.Add(-time.Hour).Format(time.RFC3339), "to": now.Add(time.Hour).Format(time.RFC3339),
	}).OK().String("job_id")
	h.RunJobs()
	eve.Do("JOB.RESULT_GET", P{"job_id": id, "org_id": ada.OrgID}).OK()
	eve.Do("JOB.RESULT_GET", P{"job_id": id}).Fails(fault.Validation).Field("/org_id")
	root.Do("TEAM.MEMBER_REMOVE", P{"user_id": eve.UserID, "org_id": ada.OrgID}).OK()
	eve.Do("JOB.RESULT_GET", P{"job_id": id, "org_id": ada.OrgID}).Fails(fault.NotFound)
	eve.Do("JOB.RESULT_GET", P{"job_id": id}).Fails(fault.Validation).Field("/org_id")
}

// Results are kept for 7 days and purged, the job for 30.
func TestResultsAreKeptForSevenDays(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		first, id := export(root), export(root)
		h.RunJobs()
		purge := func(kind ops.PurgeKind) (purged int) {
			for n := 1; n > 0; purged += n {
				var err error
				if n, err = opsstore.Upkeep(h.Store).Purge(t.Context(), kind, h.Clock.Now()); err != nil {
					t.Fatal(err)
				}
			}
			return purged
		}
		h.Clock.Advance(job.ResultsKept - time.Minute)
		root = h.Superadmin()
		if n := purge(ops.PurgeJobRows); n != 0 || len(root.Do("JOB.RESULT_GET", P{"job_id": id}).OK().List("items")) != 1 {
			t.Errorf("%d rows were purged before 7 days", n)
		}
		h.Clock.Advance(2 * time.Minute)
		root.Do("JOB.RESULT_GET", P{"job_id": id}).Fails(fault.NotFound)
		if n := purge(ops.PurgeJobRows); n != 2 {
			t.Errorf("%d rows were purged, want those of both jobs", n)
		}
		if n := purge(ops.PurgeJobs); n != 0 || len(jobListed(root, nil)) != 2 {
			t.Errorf("%d jobs were purged before 30 days", n)
		}
		h.Clock.Advance(23 * 24 * time.Hour)
		if n := purge(ops.PurgeJobs); n != 2 {
			t.Errorf("%d jobs were purged, want %s and %s", n, first, id)
		}
	})
}

// Pages of results hold each row once, and cursors fit the list that they are of.
func TestPagesOfResults(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	var rows []P
	for i := range 450 {
		rows = append(rows, P{"email": fmt.Sprintf("u%d@example.com", i)})
	}
	root.Do("USER.BULK_IMPORT", P{"users": rows}).OK()
	id, other := export(root), export(root)
	h.RunJobs()
	seen, sizes := map[any]bool{}, []int{}
	for cursor := ""; ; {
		params := P{"job_id": id}
		if cursor != "" {
			params["cursor"] = cursor
			root.Do("JOB.RESULT_GET", P{"job_id": other, "cursor": cursor}).Fails(fault.Validation)
			root.Do("JOB.RESULT_GET", P{"job_id": id, "part": "errors", "cursor": cursor}).Fails(fault.Validation)
		}
		page := root.Do("JOB.RESULT_GET", params).OK()
		for _, item := range page.List("items") {
			seen[item["id"]] = true
		}
		sizes = append(sizes, len(page.List("items")))
		next, more := page.Data["next_cursor"].(string)
		if !more {
			break
		}
		cursor = next
	}
	if len(seen) != 451 || !slices.Equal(sizes, []int{200, 200, 51}) {
		t.Errorf("%d accounts on pages of %v", len(seen), sizes)
	}
	counts := root.Do("SYSTEM.STATS_GET", nil).OK()
	if counts.Int("jobs.succeeded") != 2 || counts.Int("jobs.queued") != 0 {
		t.Errorf("counted are %v", counts.Data["jobs"])
	}
}
