package job_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
)

const (
	owner = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	there = "org_01jd7x9k2mf3q8v5t0abcdefgh"
)

func noon() time.Time { return time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC) }

func order() job.Order {
	return job.Order{
		ID: "job_01jd7x9k2mf3q8v5t0abcdefgh", Kind: "user.bulk_delete", OrgID: there, Total: 10, Params: []byte(`{"ids":[]}`),
		Maker: job.Maker{UserID: owner, OrgID: there, Needs: "users:delete"},
	}
}

// in returns a job in a status, in its first turn if it runs, with its events stored.
func in(status job.Status, maker job.Maker) *job.Job {
	o := order()
	o.Maker = maker
	s := job.New(o, noon()).Snapshot()
	s.Status, s.Saved = status, []byte("saved")
	switch status {
	case job.Queued:
		s.Saved = nil
	case job.Running:
		s.Turns, s.Fruitless, s.StartedAt = 1, 1, noon()
	case job.Succeeded, job.Failed, job.Canceled:
		s.Turns, s.StartedAt, s.FinishedAt, s.Params, s.Saved = 1, noon(), noon(), nil, nil
	}
	return job.Restore(s, 1)
}

// kinds returns the kinds of the events that were raised, each of which is in the catalog.
func kinds(t *testing.T, j *job.Job) []event.Kind {
	t.Helper()
	var raised []event.Kind
	for _, data := range j.Stored() {
		raised = append(raised, data.Kind())
		if !slices.ContainsFunc(job.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return raised
}

// Every verb in every status.
func TestTransitions(t *testing.T) {
	t.Parallel()
	later := noon().Add(time.Minute)
	type result struct {
		status job.Status
		event  event.Kind
		err    error
	}
	lost := func(queued, running result) map[job.Status]result {
		return map[job.Status]result{
			job.Queued: queued, job.Running: running, job.Succeeded: {job.Succeeded, "", job.ErrLost},
			job.Failed: {job.Failed, "", job.ErrLost}, job.Canceled: {job.Canceled, "", job.ErrLost},
		}
	}
	waits := result{job.Queued, "", job.ErrLost}
	ended := map[job.Status]result{
		job.Queued: {job.Canceled, job.KindCanceled, nil}, job.Running: {job.Canceled, job.KindCanceled, nil},
		job.Succeeded: {job.Succeeded, "", job.ErrEnded}, job.Failed: {job.Failed, "", job.ErrEnded}, job.Canceled: {job.Canceled, "", job.ErrEnded},
	}
	for _, verb := range []struct {
		name string
		do   func(*job.Job) error
		want map[job.Status]result
	}{
		{"a claim", func(j *job.Job) error { return j.Claim(later) }, lost(result{job.Running, "", nil}, result{job.Running, "", nil})},
		{"a step", func(j *job.Job) error { return j.Advance(job.Step{Done: 1, Saved: []byte("next")}, later) }, lost(waits, result{job.Running, "", nil})},
		{"the last step", func(j *job.Job) error { return j.Advance(job.Step{Done: 1, Finished: true}, later) }, lost(waits, result{job.Succeeded, job.KindCompleted, nil})},
		{"a failure", func(j *job.Job) error { return j.Fail("why", later) }, lost(result{job.Failed, job.KindFailed, nil}, result{job.Failed, job.KindFailed, nil})},
		{"a cancellation", func(j *job.Job) error { return j.Cancel(later) }, ended},
	} {
		for _, from := range job.Statuses() {
			j := in(from, order().Maker)
			want, said := verb.want[from]
			if !said {
				t.Errorf("%s of a %s job: the table says nothing", verb.name, from)
			}
			if err := verb.do(j); !errors.Is(err, want.err) {
				t.Errorf("%s of a %s job: got %v, want %v", verb.name, from, err, want.err)
			}
			checkEnd(t, verb.name+" of a "+string(from)+" job", j.Snapshot(), want.status)
			var events []event.Kind
			if want.event != "" {
				events = []event.Kind{want.event}
			}
			if got := kinds(t, j); !slices.Equal(got, events) {
				t.Errorf("%s of a %s job: got events %v, want %v", verb.name, from, got, events)
			}
		}
	}
}

// checkEnd checks that a job is in a status and, once it has ended, keeps nothing that only a running one needs.
func checkEnd(t *testing.T, what string, s job.Snapshot, want job.Status) {
	t.Helper()
	if s.Status != want {
		t.Errorf("%s: got %s, want %s", what, s.Status, want)
	}
	if going := want == job.Queued || want == job.Running; going != s.FinishedAt.IsZero() || going != (s.Params != nil) {
		t.Errorf("%s: got finished at %v with parameters %q, want both to fit %s", what, s.FinishedAt, s.Params, want)
	}
	if s.FinishedAt.IsZero() {
		return
	}
	if s.Saved != nil {
		t.Errorf("%s: got saved %q, want nothing", what, s.Saved)
	}
	if until, want := s.ResultsUntil(), s.FinishedAt.Add(job.ResultsKept); !until.Equal(want) || !s.PurgeAt().After(until) {
		t.Errorf("%s: results until %v and the job until %v, want %v and later", what, until, s.PurgeAt(), want)
	}
}

func TestOnlyEndedJobsArePurged(t *testing.T) {
	t.Parallel()
	for _, status := range job.Statuses() {
		s := in(status, order().Maker).Snapshot()
		want := status != job.Queued && status != job.Running
		if got := !s.PurgeAt().IsZero(); got != want {
			t.Errorf("a %s job is purged: got %v, want %v", status, got, want)
		}
		if got := !s.ResultsUntil().IsZero(); got != want {
			t.Errorf("the results of a %s job end: got %v, want %v", status, got, want)
		}
	}
}

// A turn is over once the job was claimed again, or has ended.
func TestHold(t *testing.T) {
	t.Parallel()
	j := job.New(order(), noon())
	if got, want := kinds(t, j), []event.Kind{job.KindCreated}; !slices.Equal(got, want) {
		t.Errorf("events of a new job: got %v, want %v", got, want)
	}
	claim := func(now time.Time) {
		if err := j.Claim(now); err != nil {
			t.Fatal(err)
		}
	}
	claim(noon().Add(time.Second))
	if err := j.Hold(1); err != nil {
		t.Errorf("Hold(1) in the first turn = %v, want nil", err)
	}
	claim(noon().Add(time.Minute))
	if got, want := j.Snapshot().StartedAt, noon().Add(time.Second); !got.Equal(want) {
		t.Errorf("StartedAt after two claims: got %v, want %v", got, want)
	}
	for turn, want := range map[int]error{0: job.ErrLost, 1: job.ErrLost, 2: nil, 3: job.ErrLost} {
		if err := j.Hold(turn); !errors.Is(err, want) {
			t.Errorf("Hold(%d) in the second turn = %v, want %v", turn, err, want)
		}
	}
}

// A job that gets nowhere fails, except one of the service itself; each step begins the count anew.
func TestJobWithoutProgressFails(t *testing.T) {
	t.Parallel()
	for system, want := range map[bool]job.Status{false: job.Failed, true: job.Running} {
		o := order()
		o.Maker.System = system
		j := job.New(o, noon())
		succeed := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		claim := func() {
			for range job.MaxTurns {
				succeed(j.Claim(noon()))
			}
		}
		claim()
		succeed(j.Advance(job.Step{}, noon()))
		claim()
		if got := j.Snapshot().Status; got != job.Running {
			t.Fatalf("after %d turns (system: %v): got %s, want %s", job.MaxTurns, system, got, job.Running)
		}
		succeed(j.Claim(noon()))
		if got := j.Snapshot().Status; got != want {
			t.Errorf("after %d turns (system: %v): got %s, want %s", job.MaxTurns+1, system, got, want)
		}
		if got, is := j.Snapshot().Why, want == job.Failed; (got == job.WhyInterrupted) != is {
			t.Errorf("why it failed (system: %v): got %q", system, got)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	for fruitless, want := range map[int]time.Duration{
		0: time.Second, 1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 6: 32 * time.Second, 7: 32 * time.Second, 1000: 32 * time.Second,
	} {
		if got := job.Restore(job.Snapshot{Fruitless: fruitless}, 1).Pause(); got != want {
			t.Errorf("Pause() after %d turns = %v, want %v", fruitless, got, want)
		}
	}
}

func TestAdvanceCounts(t *testing.T) {
	t.Parallel()
	type count struct{ total, done, failed, rows int }
	j := in(job.Running, order().Maker)
	row := []byte("{}")
	for i, c := range []struct {
		step job.Step
		want count
	}{
		{job.Step{Done: 4, Rows: [][]byte{row, row, row}, Errors: [][]byte{row}}, count{10, 4, 1, 3}},
		{job.Step{}, count{10, 4, 1, 3}},
		{job.Step{Done: 8, Rows: [][]byte{row}}, count{12, 12, 1, 4}},
		{job.Step{Done: 1, Finished: true}, count{13, 13, 1, 4}},
	} {
		err := j.Advance(c.step, noon())
		s := j.Snapshot()
		if got := (count{s.Total, s.Done, s.Failed, s.Rows}); err != nil || got != c.want {
			t.Errorf("after step %d: got %+v, %v, want %+v", i+1, got, err, c.want)
		}
	}
	short := in(job.Running, order().Maker)
	if err := short.Advance(job.Step{Done: 3, Finished: true}, noon()); err != nil {
		t.Fatal(err)
	}
	if got := short.Snapshot().Total; got != 3 {
		t.Errorf("the total of a job that ended after 3 of 10: got %d, want 3", got)
	}
	for _, data := range short.Stored() {
		if done, is := data.(job.Completed); is && (done.Done != 3 || done.UserID != owner || done.OrgID != there) {
			t.Errorf("job.completed: got %+v, want 3 done for %s in %s", done, owner, there)
		}
	}
}

// Nobody cancels what the service does for everybody.
func TestCancelOfSystemJobs(t *testing.T) {
	t.Parallel()
	want := map[job.Status]error{
		job.Queued: job.ErrSystem, job.Running: job.ErrSystem, job.Succeeded: job.ErrEnded, job.Failed: job.ErrEnded, job.Canceled: job.ErrEnded,
	}
	for _, status := range job.Statuses() {
		j := in(status, job.Maker{System: true})
		if err := j.Cancel(noon()); !errors.Is(err, want[status]) || j.Snapshot().Status != status {
			t.Errorf("Cancel() of a %s job = %v and it is %s, want %v and no change", status, err, j.Snapshot().Status, want[status])
		}
	}
}
