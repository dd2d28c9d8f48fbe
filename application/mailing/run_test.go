package mailing_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/test/harness"
)

// server is a mail server that a test holds in its hand.
type server struct {
	answer chan error
	now    atomic.Int64
	most   atomic.Int64
	mu     sync.Mutex
	took   []mail.Letter
}

// Send waits for the test to answer.
func (s *server) Send(ctx context.Context, letter mail.Letter) error {
	s.most.Store(max(s.most.Load(), s.now.Add(1)))
	defer s.now.Add(-1)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-s.answer:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.took = append(s.took, letter)
		return err
	}
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.took)
}

// run lets the delivery of a service run with a server, and returns its end.
func run(t *testing.T, h *harness.Service, s *server) (stop func()) {
	t.Helper()
	h.Delivery.Mailer = s
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Delivery.Run(ctx)
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// soon lets the delivery begin, which is once the command that asked has answered.
func soon() {
	time.Sleep(50*time.Millisecond + time.Microsecond)
	synctest.Wait()
}

func TestRunSendsAtOnceWhatWasQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		s := &server{answer: make(chan error, 10)}
		run(t, h, s)
		synctest.Wait()
		s.answer <- nil
		queue(t, h, notice(ada))
		soon()
		if s.count() != 1 {
			t.Errorf("%d letters, want 1 almost at once", s.count())
		}
	})
}

func TestRunSendsWhatAnotherReplicaQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		database := harness.SQLite(t)
		other, h := harness.On(t, database), harness.On(t, database)
		ada := other.SignUp("ada@example.com")
		other.DeliverMail()
		s := &server{answer: make(chan error, 10)}
		run(t, h, s)
		s.answer <- nil
		queue(t, other, notice(ada))
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if s.count() != 1 {
			t.Errorf("%d letters, want 1 after a second", s.count())
		}
	})
}

func TestSlowServerDelaysNeitherCommandsNorManyOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUpVerified("ada@example.com")
		h.DeliverMail()
		s := &server{answer: make(chan error)}
		run(t, h, s)
		for range 12 {
			queue(t, h, notice(ada))
		}
		soon()
		if s.now.Load() != 8 || s.most.Load() != 8 {
			t.Errorf("%d letters at once, %d at most, want 8", s.now.Load(), s.most.Load())
		}
		ada.Do("AUTH.WHOAMI", nil).OK() // at the same moment
		for range 12 {
			s.answer <- nil
		}
		synctest.Wait()
		if s.count() != 12 || s.most.Load() != 8 {
			t.Errorf("%d letters, %d at once, want 12 and 8", s.count(), s.most.Load())
		}
	})
}

func TestServerThatNeverAnswersIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		run(t, h, &server{answer: make(chan error)})
		queue(t, h, notice(ada))
		soon()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		wantOutbox(t, h, mail.Queued, 1, "the mail server could not be reached or did not answer in time")
	})
}

func TestStopLetsLettersUnderWayEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		s := &server{answer: make(chan error)}
		stop := run(t, h, s)
		queue(t, h, notice(ada))
		soon()
		go func() { s.answer <- nil }()
		stop()
		wantOutbox(t, h, mail.Sent, 1, "")
	})
}

func TestStopDoesNotWaitForASlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		stop := run(t, h, &server{answer: make(chan error)})
		queue(t, h, notice(ada))
		soon()
		began := time.Now()
		stop()
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("it took %v to stop", took)
		}
		wantOutbox(t, h, mail.Queued, 1, "the mail server could not be reached or did not answer in time")
	})
}

func TestRunCountsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		s := &server{answer: make(chan error, 10)}
		run(t, h, s)
		s.answer <- errors.New("no route")
		queue(t, h, notice(ada))
		time.Sleep(16 * time.Second)
		synctest.Wait()
		if h.Delivery.Depth() != 1 {
			t.Errorf("depth %v, want 1", h.Delivery.Depth())
		}
	})
}

func TestRunOutlivesTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		var log bytes.Buffer
		down := &gone{Queue: h.Delivery.Queue}
		h.Delivery.Queue, h.Delivery.Logger = down, slog.New(slog.NewTextHandler(&log, nil))
		s := &server{answer: make(chan error, 10)}
		stop := run(t, h, s)
		down.down.Store(true)
		queue(t, h, notice(ada))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		down.down.Store(false)
		s.answer <- nil
		time.Sleep(2 * time.Second)
		synctest.Wait()
		stop()
		if s.count() != 1 {
			t.Errorf("%d letters, want 1", s.count())
		}
		if strings.Count(log.String(), "queue processing fails") != 1 || strings.Count(log.String(), "queue processing works again") != 1 {
			t.Errorf("log: %s", log.String())
		}
	})
}

func TestRunOutlivesAStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		hanging := &gone{Queue: h.Delivery.Queue}
		h.Delivery.Queue = hanging
		s := &server{answer: make(chan error, 10)}
		run(t, h, s)
		hanging.hangs.Store(true)
		queue(t, h, notice(ada))
		time.Sleep(time.Minute) // in which the queue is to be counted too
		hanging.hangs.Store(false)
		s.answer <- nil
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if s.count() != 1 {
			t.Errorf("%d letters once the store is back, want 1", s.count())
		}
	})
}

// A letter that hangs while it is prepared gives its slot back.
func TestLetterThatCannotBePreparedIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ada := h.SignUp("ada@example.com")
		h.DeliverMail()
		limits := &slow{Admission: h.Delivery.Limits}
		h.Delivery.Limits = limits
		s := &server{answer: make(chan error, 10)}
		run(t, h, s)
		limits.hangs.Store(true)
		queue(t, h, notice(ada))
		time.Sleep(15 * time.Second)
		synctest.Wait()
		wantOutbox(t, h, mail.Queued, 1, "the email could not be prepared")
		limits.hangs.Store(false)
		s.answer <- nil
		h.Clock.Advance(2 * time.Minute)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s.count() != 1 {
			t.Errorf("%d letters once the store is back, want 1", s.count())
		}
	})
}
