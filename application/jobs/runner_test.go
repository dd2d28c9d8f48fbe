package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// exports is the kind of job that the tests put work of their own in the place of.
const exports job.Kind = "user.bulk_export"

// doing lets a service do other work in the place of exports.
func doing(h *harness.Service, step func(ctx context.Context, at jobs.StepContext) (job.Step, error)) {
	works := map[job.Kind]jobs.Work{}
	for kind, work := range h.Jobs.Works {
		works[kind] = work
	}
	works[exports] = jobs.Work{Step: step}
	h.Jobs.Works = works
}

func export(root *harness.Actor) string {
	return root.Do("USER.BULK_EXPORT", nil).OK().String("job_id")
}

// Two replicas that work at once do each item once.
func TestReplicasRace(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		replicas := []*harness.Service{harness.On(t, database), harness.On(t, database)}
		root := replicas[0].Superadmin()
		var started []string
		for i := range 8 {
			ids := people(root, fmt.Sprintf("p%d-", i), 4)
			started = append(started, root.Do("USER.BULK_DELETE", P{"user_ids": ids}).OK().String("job_id"))
		}
		var all sync.WaitGroup
		for _, h := range append(replicas, replicas...) {
			all.Go(h.RunJobs)
		}
		all.Wait()
		for _, id := range started {
			if got := stateOf(root, id); got != "succeeded 4/4 0 " {
				t.Error(got)
			}
		}
		if n := len(replicas[0].Events("user.deleted")); n != 32 {
			t.Errorf("%d accounts were deleted, want 32", n)
		}
	})
}

// However many replicas there are, five jobs of the instance run at once.
func TestFiveAtOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		one, other := harness.On(t, database), harness.On(t, database)
		root := one.Superadmin()
		var started []string
		for range 7 {
			started = append(started, export(root))
		}
		// Claims that no step follows keep their slots.
		var all sync.WaitGroup
		for _, h := range []*harness.Service{one, other, one, other} {
			all.Go(func() {
				for range 4 {
					killed(t, h, 1, true)
				}
			})
		}
		all.Wait()
		if n := running(t, one); n != 5 {
			t.Errorf("%d jobs run, want 5", n)
		}
		lapse(t, one)
		other.RunJobs()
		for _, id := range started {
			if got := stateOf(root, id); !strings.HasPrefix(got, "succeeded") {
				t.Error(got)
			}
		}
	})
}

func running(t *testing.T, h *harness.Service) (n int) {
	t.Helper()
	if err := h.Store.Database().Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM jobs WHERE status = 'running'`); err != nil {
		t.Fatal(err)
	}
	return n
}

// A job is nobody else's until its lease has ended; after that, who had it stores nothing.
func TestLostLease(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		slow, fast := harness.On(t, database), harness.On(t, database)
		root := slow.Superadmin()
		id := root.Do("USER.BULK_DELETE", P{"user_ids": people(root, "p", 3)}).OK().String("job_id")
		runner, steps := *slow.Jobs, 0
		runner.Transactions = beforeEach{slow.Jobs.Transactions, func() {
			steps++
			if steps != 2 {
				return
			}
			fast.RunJobs()
			if got := stateOf(root, id); got != "running 1/3 0 " {
				t.Errorf("while it is leased: %s", got)
			}
			lapse(t, slow)
			killed(t, fast, 1, true) // which claims it
		}}
		if _, err := runner.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := stateOf(root, id); steps != 2 || got != "running 1/3 0 " {
			t.Errorf("%d steps by the slow replica: %s", steps, got)
		}
		lapse(t, slow)
		fast.RunJobs()
		if got := stateOf(root, id); got != "succeeded 3/3 0 " {
			t.Error(got)
		}
		if n := len(slow.Events("user.deleted")); n != 3 {
			t.Errorf("%d accounts were deleted, want 3", n)
		}
	})
}

// beforeEach is a store that does something before each transaction.
type beforeEach struct {
	outbound.Transactions

	do func()
}

// Within is one transaction.
func (b beforeEach) Within(ctx context.Context, work func(ctx context.Context) bool) error {
	b.do()
	return b.Transactions.Within(ctx, work)
}

// A job that is canceled stops after the step under way, whose work stays done.
func TestCancel(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h, other := harness.On(t, database), harness.On(t, database)
		root := h.Superadmin()
		id := export(root)
		var steps atomic.Int64
		canceled := make(chan *harness.Reply, 1)
		doing(h, func(context.Context, jobs.StepContext) (job.Step, error) {
			if steps.Add(1) == 2 {
				with := other.With(root.AccessToken)
				go func() { canceled <- with.Do("JOB.CANCEL", P{"job_id": id}) }()
			}
			time.Sleep(20 * time.Millisecond)
			return job.Step{Done: 1, Rows: [][]byte{[]byte(`{"n":1}`)}, Saved: []byte(`{}`), Finished: steps.Load() > 200}, nil
		})
		h.RunJobs()
		got := (<-canceled).OK()
		done := got.Int("job.done")
		if got.String("job.status") != "canceled" || done < 2 || int64(done) > steps.Load() || steps.Load() > 200 {
			t.Errorf("canceled after %d steps: %v", steps.Load(), got.Data)
		}
		if kept := len(results(root, id)); kept != done {
			t.Errorf("%d rows of %d items", kept, done)
		}
		root.Do("JOB.CANCEL", P{"job_id": id}).Fails(fault.Validation)
		waiting := export(root)
		root.Do("JOB.CANCEL", P{"job_id": waiting}).OK()
		h.RunJobs()
		if got := stateOf(root, waiting); got != "canceled 0/1 0 " {
			t.Error(got)
		}
	})
}

// A step that fails is tried again after a pause, and in the end the job fails; one that
// fails for a reason to be read ends it at once.
func TestFailingSteps(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root := h.Superadmin()
		tries := 0
		doing(h, func(context.Context, jobs.StepContext) (job.Step, error) {
			if tries++; tries == 3 {
				panic("of the third try")
			}
			return job.Step{}, errors.New("broken")
		})
		id := export(root)
		for range job.MaxTurns + 3 {
			h.RunJobs()
			h.RunJobs() // which waits
			lapse(t, h)
		}
		if got := stateOf(root, id); tries != job.MaxTurns || got != "failed 0/1 0 "+job.WhyInterrupted {
			t.Errorf("after %d tries: %s", tries, got)
		}
		doing(h, func(context.Context, jobs.StepContext) (job.Step, error) {
			return job.Step{}, fault.New(fault.NotFound, "nothing is there")
		})
		id = export(root)
		h.RunJobs()
		if got := stateOf(root, id); got != "failed 0/1 0 nothing is there" {
			t.Error(got)
		}
	})
}

// A job acts by what its maker may do at each step.
func TestMakersWhoLoseTheirRights(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		root := h.Superadmin()
		for name, c := range map[string]struct {
			lose func(of *harness.Actor) *harness.Reply
			want string
		}{
			"demoted": {func(of *harness.Actor) *harness.Reply {
				return root.Do("USER.SET_SUPERADMIN", P{"user_id": of.UserID, "is_superadmin": false})
			}, job.WhyMakerLess},
			"disabled": {func(of *harness.Actor) *harness.Reply { return root.Do("USER.DISABLE", P{"user_id": of.UserID}) }, job.WhyMakerGone},
			"deleted":  {func(of *harness.Actor) *harness.Reply { return root.Do("USER.DELETE", P{"user_id": of.UserID}) }, job.WhyMakerGone},
		} {
			maker := h.SignUp(name + "@example.com")
			root.Do("USER.SET_SUPERADMIN", P{"user_id": maker.UserID, "is_superadmin": true}).OK()
			by := maker
			if name == "demoted" { // the share of a key, which goes with it
				by = h.With(maker.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"users:manage"}}).OK().String("key"))
			}
			loses(t, h, root, by, func() { c.lose(maker).OK() }, c.want)
		}
		machine := root.Machine("worker", "users:manage")
		app := root.Do("APP.LIST", P{"query": "worker"}).List("items")[0]["id"]
		loses(t, h, root, machine, func() { root.Do("APP.SCOPE_REVOKE", P{"app_id": app, "scopes": []string{"users:manage"}}).OK() }, job.WhyMakerLess)
	})
}

// loses lets a maker lose their rights after the first step of a job.
func loses(t *testing.T, h *harness.Service, root, maker *harness.Actor, lose func(), want string) {
	t.Helper()
	id := maker.Do("USER.BULK_DELETE", P{"user_ids": people(root, "of-"+id26(maker), 2)}).OK().String("job_id")
	killed(t, h, 2, true) // the claim and one step
	lose()
	lapse(t, h)
	h.RunJobs()
	if got := stateOf(root, id); got != "failed 1/2 0 "+want {
		t.Errorf("%s, want it failed because %s", got, want)
	}
}

// id26 is a text that no other actor has.
func id26(a *harness.Actor) string {
	return fmt.Sprintf("%x", len(a.AccessToken)) + a.AccessToken[len(a.AccessToken)-6:]
}

// A replica that stops hands its jobs over at once.
func TestStopping(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h, other := harness.On(t, database), harness.On(t, database)
		root := h.Superadmin()
		id := export(root)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		doing(h, func(step context.Context, _ jobs.StepContext) (job.Step, error) {
			cancel()
			<-step.Done()
			return job.Step{}, step.Err()
		})
		h.Jobs.Run(ctx)
		other.RunJobs()
		if got := stateOf(root, id); got != "succeeded 1/1 0 " {
			t.Error(got)
		}
	})
}

// The instance takes no more than a hundred jobs that wait.
func TestManyWait(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for range job.MaxWaiting {
		export(root)
	}
	root.Do("USER.BULK_EXPORT", nil).Fails(fault.Validation)
	h.RunJobs()
	export(root)
}
