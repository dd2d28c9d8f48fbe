package e2e_test

import (
	"fmt"
	"testing"
	"time"
)

// A replica is killed in the middle of its jobs; the other one does the rest, and no
// account twice: the second time it would be refused.
func TestKilledReplicaLeavesItsJobsToTheOther(t *testing.T) {
	t.Parallel()
	const jobs, each = 8, 100
	one, other, admin := pair(t)
	var started []string
	for n := range jobs {
		var users []P
		for i := range each {
			users = append(users, P{"email": fmt.Sprintf("doomed-%d-%d@example.com", n, i)})
		}
		var ids []any
		made, _ := one.as(admin, "USER.BULK_IMPORT", P{"users": users}).ok().value("items").([]any)
		for _, item := range made {
			ids = append(ids, item.(P)["user_id"])
		}
		started = append(started, other.as(admin, "USER.BULK_DELETE", P{"user_ids": ids}).ok().text("job_id"))
	}
	// Five run at once, one replica has four at most: each has some.
	one.Kill()
	deadline := time.Now().Add(10 * time.Minute)
	for _, id := range started {
		state := func() *reply { return other.as(admin, "JOB.GET", P{"job_id": id}).ok() }
		for state().value("job.finished_at") == nil && time.Now().Before(deadline) {
			time.Sleep(time.Second)
		}
		if j := state(); j.text("job.status") != "succeeded" || j.number("job.done") != each || j.number("job.errors") != 0 {
			t.Errorf("a job ended as %v", j.value("job"))
		}
	}
}
