package webhook_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/webhook"
)

func noon() time.Time { return time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC) }

// statuses lists all of them; those of finished deliveries are the last two.
func statuses() []webhook.Status {
	return []webhook.Status{webhook.Pending, webhook.Delivering, webhook.Failed, webhook.Succeeded, webhook.Dead}
}

// stored returns a delivery in a status, as it would have come there.
func stored(status webhook.Status) webhook.Delivery {
	d := webhook.Delivery{ID: "dlv_01jd7x9k2mf3q8v5t0abcdefgh", Kind: "user.created", Status: status, CreatedAt: noon()}
	switch status {
	case webhook.Pending, webhook.Delivering:
		d.DueAt = noon().Add(time.Minute)
	case webhook.Failed:
		d.Attempts, d.Round, d.DueAt = 2, 2, noon().Add(time.Minute)
	case webhook.Succeeded, webhook.Dead:
		d.Attempts, d.Round, d.FinishedAt = 5, 5, noon()
	}
	return d
}

// Every verb in every status, so that no way from one to the other is left out.
func TestDeliveryTransitions(t *testing.T) {
	t.Parallel()
	later := noon().Add(time.Second)
	type result struct {
		status webhook.Status
		due    time.Time
		round  int
		err    error
	}
	due := noon().Add(time.Minute)
	unchanged := map[webhook.Status]result{
		webhook.Pending:    {webhook.Pending, due, 0, nil},
		webhook.Delivering: {webhook.Delivering, due, 0, nil},
		webhook.Failed:     {webhook.Failed, due, 2, nil},
		webhook.Succeeded:  {webhook.Succeeded, time.Time{}, 5, nil},
		webhook.Dead:       {webhook.Dead, time.Time{}, 5, nil},
	}
	unfinished := func(status webhook.Status) result {
		r := unchanged[status]
		r.err = webhook.ErrUnfinished
		return r
	}
	for _, verb := range []struct {
		name string
		do   func(*webhook.Delivery) error
		want map[webhook.Status]result
	}{
		{"Replay", func(d *webhook.Delivery) error { return d.Replay(later) }, map[webhook.Status]result{
			webhook.Pending: unfinished(webhook.Pending), webhook.Delivering: unfinished(webhook.Delivering), webhook.Failed: unfinished(webhook.Failed),
			webhook.Succeeded: {webhook.Pending, later, 0, nil}, webhook.Dead: {webhook.Pending, later, 0, nil},
		}},
		{"Recover", func(d *webhook.Delivery) error { d.Recover(later); return nil }, map[webhook.Status]result{
			webhook.Pending: unchanged[webhook.Pending], webhook.Delivering: unchanged[webhook.Delivering], webhook.Succeeded: unchanged[webhook.Succeeded],
			webhook.Failed: {webhook.Failed, later, 2, nil}, webhook.Dead: {webhook.Pending, later, 0, nil},
		}},
		{"Bury", func(d *webhook.Delivery) error { d.Bury("why", later); return nil }, map[webhook.Status]result{
			webhook.Pending: {webhook.Dead, time.Time{}, 0, nil}, webhook.Delivering: {webhook.Dead, time.Time{}, 0, nil},
			webhook.Failed: {webhook.Dead, time.Time{}, 2, nil}, webhook.Succeeded: {webhook.Dead, time.Time{}, 5, nil}, webhook.Dead: {webhook.Dead, time.Time{}, 5, nil},
		}},
	} {
		for _, from := range statuses() {
			d := stored(from)
			want, said := verb.want[from]
			if !said {
				t.Errorf("%s of a %s delivery: the table says nothing", verb.name, from)
			}
			err := verb.do(&d)
			if got := (result{d.Status, d.DueAt, d.Round, err}); got.status != want.status || !got.due.Equal(want.due) || got.round != want.round || !errors.Is(err, want.err) {
				t.Errorf("%s of a %s delivery: got %+v, want %+v", verb.name, from, got, want)
			}
			if finished := !d.FinishedAt.IsZero(); finished != d.Status.Finished() {
				t.Errorf("%s of a %s delivery: FinishedAt is set is %v, want %v", verb.name, from, finished, d.Status.Finished())
			}
		}
	}
}

func TestRecoverReports(t *testing.T) {
	t.Parallel()
	want := map[webhook.Status]bool{webhook.Failed: true, webhook.Dead: true}
	for _, from := range statuses() {
		d := stored(from)
		if got := d.Recover(noon()); got != want[from] {
			t.Errorf("Recover() of a %s delivery: got %v, want %v", from, got, want[from])
		}
	}
	spent := stored(webhook.Dead)
	spent.Attempts = webhook.MaxAttempts
	if spent.Recover(noon()) || spent.Status != webhook.Dead {
		t.Errorf("Recover() after the last attempt: got status %s, want %s", spent.Status, webhook.Dead)
	}
	if err := spent.Replay(noon()); !errors.Is(err, webhook.ErrAttempts) {
		t.Errorf("Replay() after the last attempt: got %v, want ErrAttempts", err)
	}
}

// What an attempt does, by what it met: the answer, how many there were in the round, and in all.
func TestNote(t *testing.T) {
	t.Parallel()
	const full, none = 1.0, 0.0
	for name, c := range map[string]struct {
		round, attempts int
		attempt         webhook.Attempt
		chance          float64
		want            webhook.Status
		pause           time.Duration
	}{
		"taken":                           {0, 0, webhook.Attempt{StatusCode: 200}, none, webhook.Succeeded, 0},
		"taken, at the upper bound":       {4, 4, webhook.Attempt{StatusCode: 299}, none, webhook.Succeeded, 0},
		"redirected":                      {0, 0, webhook.Attempt{StatusCode: 300}, none, webhook.Failed, 30 * time.Second},
		"informed only":                   {0, 0, webhook.Attempt{StatusCode: 199}, none, webhook.Failed, 30 * time.Second},
		"cut off while it was taken":      {0, 0, webhook.Attempt{StatusCode: 200, Error: "reset"}, none, webhook.Failed, 30 * time.Second},
		"without an answer":               {0, 0, webhook.Attempt{Error: "refused"}, none, webhook.Failed, 30 * time.Second},
		"gone at once":                    {0, 0, webhook.Attempt{StatusCode: 410}, none, webhook.Dead, 0},
		"the second":                      {1, 1, webhook.Attempt{StatusCode: 500}, none, webhook.Failed, 5 * time.Minute},
		"the third":                       {2, 2, webhook.Attempt{StatusCode: 500}, none, webhook.Failed, 30 * time.Minute},
		"the fourth":                      {3, 3, webhook.Attempt{StatusCode: 500}, none, webhook.Failed, time.Hour},
		"the fifth is the last":           {4, 4, webhook.Attempt{StatusCode: 500}, none, webhook.Dead, 0},
		"a replay has a round of its own": {0, 90, webhook.Attempt{StatusCode: 500}, none, webhook.Failed, 30 * time.Second},
		"the hundredth is the last":       {0, 99, webhook.Attempt{StatusCode: 500}, none, webhook.Dead, 0},
		"sooner by a tenth":               {0, 0, webhook.Attempt{StatusCode: 500}, full, webhook.Failed, 27 * time.Second},
		"as the receiver asks":            {0, 0, webhook.Attempt{StatusCode: 503, RetryAfter: time.Minute}, none, webhook.Failed, time.Minute},
		"no sooner than planned":          {1, 1, webhook.Attempt{StatusCode: 503, RetryAfter: time.Second}, none, webhook.Failed, 5 * time.Minute},
		"within an hour":                  {0, 0, webhook.Attempt{StatusCode: 503, RetryAfter: 48 * time.Hour}, none, webhook.Failed, webhook.LongestWait},
	} {
		d := stored(webhook.Delivering)
		d.Round, d.Attempts = c.round, c.attempts
		d.Note(c.attempt, c.chance, noon())
		if d.Status != c.want || d.Round != c.round+1 || d.Attempts != c.attempts+1 {
			t.Errorf("%s: got %s after %d of %d attempts, want %s after %d of %d", name, d.Status, d.Round, d.Attempts, c.want, c.round+1, c.attempts+1)
		}
		var due time.Time
		if c.want == webhook.Failed {
			due = noon().Add(c.pause)
		}
		if !d.DueAt.Equal(due) {
			t.Errorf("%s: got due at %v, want %v", name, d.DueAt, due)
		}
		if d.StatusCode != c.attempt.StatusCode || d.Error != c.attempt.Error {
			t.Errorf("%s: got response %d %q, want %d %q", name, d.StatusCode, d.Error, c.attempt.StatusCode, c.attempt.Error)
		}
	}
}

// The event of a dead delivery tells why, and none is told of a delivery that carries one.
func TestDeadDeliveryEvent(t *testing.T) {
	t.Parallel()
	tried := webhook.Attempt{At: noon(), StatusCode: 500}
	for _, status := range statuses() {
		_, got := stored(status).Died(tried)
		if want := status == webhook.Dead; got != want {
			t.Errorf("Died() of a %s delivery: got %v, want %v", status, got, want)
		}
	}
	for why, last := range map[string]webhook.Attempt{
		webhook.ByAttempts: tried, webhook.ByGone: {At: noon(), StatusCode: 410}, webhook.ByUnsendable: {},
	} {
		d := stored(webhook.Dead)
		got, is := d.Died(last)
		want := webhook.Died{DeliveryID: d.ID, EventType: d.Kind, Count: 1, Reason: why}
		if !is || got != want {
			t.Errorf("Died(%+v) = %+v, %v, want %+v", last, got, is, want)
		}
	}
	endless := stored(webhook.Dead)
	endless.Kind = webhook.KindDead
	if got, is := endless.Died(tried); is {
		t.Errorf("a delivery of %s that died: got %+v, want no event", webhook.KindDead, got)
	}
}
