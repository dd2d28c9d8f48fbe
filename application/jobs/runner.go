package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"gatehouse.internal/application/queue"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

const (
	// parallel is how many jobs one replica carries out at once.
	parallel = 4
	// stepTime is how long a step may take: it ends, and with it the turn, before the lease.
	stepTime = job.Lease - 5*time.Second
)

// Runner carries out jobs.
type Runner struct {
	Unit         outbound.Unit[Repos]
	Transactions outbound.Transactions
	Directory    ops.JobDirectory
	Works        map[job.Kind]Work
	Clock        outbound.Clock
	Logger       *slog.Logger
}

// turn is a job that was claimed, and which of its turns this is.
type turn struct {
	job  job.ID
	turn int
}

// Run executes jobs until the context ends. Running jobs then continue from their last
// step, here or on another replica.
func (r *Runner) Run(ctx context.Context) {
	queue.Loop[turn]{Name: "jobs", Parallel: parallel, Claim: r.claim, CarryOut: r.carryOut, Logger: r.Logger}.Run(ctx)
}

// Pass carries out everything that is due now, one after the other, and returns how many
// turns there were.
func (r *Runner) Pass(ctx context.Context) (int, error) {
	for n := 0; ; n++ {
		claimed, err := r.claim(ctx, 1)
		if err != nil || len(claimed) == 0 {
			return n, err
		}
		r.carryOut(ctx, claimed[0])
	}
}

// claim begins turns of jobs. It looks first, since most often there is none.
func (r *Runner) claim(ctx context.Context, most int) (claimed []turn, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	if due, err := r.Directory.Due(ctx, r.Clock.Now()); err != nil || !due {
		return nil, err
	}
	for len(claimed) < most {
		one, err := r.next(ctx)
		if err != nil || one == (turn{}) {
			return claimed, err
		}
		claimed = append(claimed, one)
	}
	return claimed, nil
}

// next begins one turn; the zero turn is none.
func (r *Runner) next(ctx context.Context) (one turn, err error) {
	err = r.Unit.Do(ctx, func(tx Repos) error {
		one = turn{}
		now := r.Clock.Now()
		j, err := tx.Jobs.Next(ctx, now)
		if err != nil || j == nil {
			return err
		}
		if err := j.Claim(now); err != nil {
			return err
		}
		one = turn{j.ID(), j.Snapshot().Turns}
		if err := tx.Jobs.Save(ctx, j); err != nil {
			return err
		}
		return tx.Jobs.Lease(ctx, one.job, job.Lease, now)
	})
	return one, err
}

// breath is the pause between the steps of a job: with a single writer connection,
// other processes would otherwise rarely get the lock.
const breath = 5 * time.Millisecond

// carryOut takes a job on, step by step, until it has ended or the turn is over.
func (r *Runner) carryOut(ctx context.Context, t turn) {
	for {
		finished, err := r.step(ctx, t)
		if err == nil && !finished {
			err = wait.For(ctx, breath)
		}
		switch {
		case err == nil && !finished:
			continue
		case err != nil && !errors.Is(err, job.ErrLost):
			r.stop(ctx, t, err)
		}
		return
	}
}

// step does one step in one transaction, and reports whether the job has ended. A panic
// is an error of the step, which must not end the service for everybody.
func (r *Runner) step(ctx context.Context, t turn) (finished bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	broken := r.Transactions.Within(ctx, func(ctx context.Context) bool {
		finished, err = r.within(ctx, t)
		return err == nil
	})
	return finished, errors.Join(err, broken)
}

// errUnknown leaves a job of the service itself to a replica of a later release.
var errUnknown = errors.New("unknown job type: this release cannot run it")

func (r *Runner) within(ctx context.Context, t turn) (finished bool, err error) {
	j, by, err := r.begin(ctx, t)
	if err != nil || j.Hold(t.turn) != nil {
		return err == nil, err
	}
	s := j.Snapshot()
	work, known := r.Works[s.Kind]
	switch {
	case !known && s.Maker.System:
		return false, errUnknown
	case !known:
		return true, r.fail(ctx, t, job.WhyUnknown)
	}
	at := StepContext{Job: s, Caller: by, Now: r.Clock.Now()}
	if work.Batch > 0 {
		if at.Input, err = r.Directory.Rows(ctx, job.Place{Job: s.ID, Part: job.Input, Row: s.Done}, work.Batch); err != nil {
			return false, err
		}
	}
	did, err := work.Step(event.WithOrigin(ctx, s.Maker.Origin), at)
	if err != nil {
		return false, err
	}
	return did.Finished, r.save(ctx, s, j.Version(), did)
}

// begin reads a job and its maker. A job whose maker may no longer do it fails.
func (r *Runner) begin(ctx context.Context, t turn) (j *job.Job, by access.Caller, err error) {
	err = r.Unit.Do(ctx, func(tx Repos) error {
		if j, err = tx.Jobs.ByID(ctx, t.job); err != nil {
			return err
		}
		if err := j.Hold(t.turn); err != nil {
			return err
		}
		var why string
		if by, why, err = acting(ctx, tx, j.Snapshot().Maker, r.Clock.Now()); err != nil || why == "" {
			return err
		}
		if err := j.Fail(why, r.Clock.Now()); err != nil {
			return err
		}
		return tx.Jobs.Save(ctx, j)
	})
	return j, by, err
}

// save stores the result of a step, and renews the lease.
func (r *Runner) save(ctx context.Context, s job.Snapshot, version int64, did job.Step) error {
	now := r.Clock.Now()
	return r.Unit.Do(ctx, func(tx Repos) error {
		j := job.Restore(s, version)
		if err := j.Advance(did, now); err != nil {
			return err
		}
		if err := tx.Jobs.AddRows(ctx, job.Place{Job: s.ID, Part: job.Data, Row: s.Rows}, did.Rows); err != nil {
			return err
		}
		if err := tx.Jobs.AddRows(ctx, job.Place{Job: s.ID, Part: job.Errors, Row: s.Failed}, did.Errors); err != nil {
			return err
		}
		if err := tx.Jobs.Save(ctx, j); err != nil {
			return err
		}
		return tx.Jobs.Lease(ctx, s.ID, job.Lease, now)
	})
}

// fail ends a job for a reason, unless the turn is over.
func (r *Runner) fail(ctx context.Context, t turn, why string) error {
	return r.change(ctx, t, func(_ Repos, j *job.Job) error {
		return j.Fail(why, r.Clock.Now())
	})
}

// stop ends a turn whose step was rolled back: a public error ends the job; otherwise
// it is claimed again after a pause, or immediately while the service stops.
func (r *Runner) stop(ctx context.Context, t turn, cause error) {
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTime)
	defer cancel()
	refusal := fault.From(cause)
	err := r.change(ctx, t, func(tx Repos, j *job.Job) error {
		switch {
		case stopping:
			return tx.Jobs.Lease(ctx, t.job, 0, r.Clock.Now())
		case refusal.Code == fault.Internal || j.Snapshot().Maker.System:
			return tx.Jobs.Lease(ctx, t.job, j.Pause(), r.Clock.Now())
		}
		return j.Fail(refusal.Message, r.Clock.Now())
	})
	if !stopping || err != nil {
		r.Logger.WarnContext(ctx, "job step failed", "job_id", t.job.String(), "cause", errors.Join(cause, err))
	}
}

// change changes a job in its turn.
func (r *Runner) change(ctx context.Context, t turn, do func(Repos, *job.Job) error) error {
	return r.Unit.Do(ctx, func(tx Repos) error {
		j, err := tx.Jobs.ByID(ctx, t.job)
		if err != nil {
			return err
		}
		if j.Hold(t.turn) != nil {
			return nil
		}
		if err := do(tx, j); err != nil {
			return err
		}
		return tx.Jobs.Save(ctx, j)
	})
}
