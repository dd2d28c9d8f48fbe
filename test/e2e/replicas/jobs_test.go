package replicas_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
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
		made, _ := one.As(admin, "USER.BULK_IMPORT", P{"users": users}).OK().Value("items").([]any)
		for _, item := range made {
			ids = append(ids, item.(P)["user_id"])
		}
		started = append(started, other.As(admin, "USER.BULK_DELETE", P{"user_ids": ids}).OK().Text("job_id"))
	}
	// Five run at once, one replica has four at most: each has some.
	one.Kill()
	deadline := time.Now().Add(10 * time.Minute)
	for _, id := range started {
		state := func() *instance.Reply { return other.As(admin, "JOB.GET", P{"job_id": id}).OK() }
		for state().Value("job.finished_at") == nil && time.Now().Before(deadline) {
			time.Sleep(time.Second)
		}
		if j := state(); j.Text("job.status") != "succeeded" || j.Number("job.done") != each || j.Number("job.errors") != 0 {
			t.Errorf("a job ended as %v", j.Value("job"))
		}
	}
}
