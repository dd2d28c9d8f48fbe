package batch_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"gatehouse.internal/adapters/sqlstore/batch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errOdd = errors.New("odd")

// double answers each question with its double, and odd ones with an error.
func double(_ context.Context, questions []int) ([]batch.Outcome[int], error) {
	outcomes := make([]batch.Outcome[int], len(questions))
	for i, q := range questions {
		outcomes[i].Answer = 2 * q
		if q%2 == 1 {
			outcomes[i].Err = errOdd
		}
	}
	return outcomes, nil
}

// slow is a Run that takes a second, keeps what it was asked and counts how many of
// it were under way together.
type slow struct {
	mu        sync.Mutex
	runs      [][]int
	now, most int
}

func (s *slow) run(ctx context.Context, questions []int) ([]batch.Outcome[int], error) {
	s.mu.Lock()
	s.runs = append(s.runs, slices.Clone(questions))
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return double(ctx, questions)
}

// sizes returns how many questions each run had.
func (s *slow) sizes() []int {
	sizes := make([]int, len(s.runs))
	for i, questions := range s.runs {
		sizes[i] = len(questions)
	}
	return sizes
}

func TestLoneCall(t *testing.T) {
	t.Parallel()
	g := batch.Group[int, int]{Run: double}
	if got, err := g.Do(t.Context(), 4); got != 8 || err != nil {
		t.Errorf("Do(4) = %d, %v, want 8", got, err)
	}
	if _, err := g.Do(t.Context(), 3); !errors.Is(err, errOdd) {
		t.Errorf("Do(3) = %v, want its own error", err)
	}
}

// TestCoalescing sends questions 0, 2, 4 … in order while runs are under way.
func TestCoalescing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		max, parallel, calls int
		sizes                []int
		most                 int
		took                 time.Duration
	}{
		"one leaves alone, the rest together": {0, 0, 10, []int{1, 9}, 1, 2 * time.Second},
		"default maximum":                     {0, 0, 1 + 64 + 3, []int{1, 64, 3}, 1, 3 * time.Second},
		"at most Max":                         {4, 1, 10, []int{1, 4, 4, 1}, 1, 4 * time.Second},
		"Parallel at once":                    {4, 2, 10, []int{1, 1, 4, 4}, 2, 2 * time.Second},
		"Max of one":                          {1, 3, 6, []int{1, 1, 1, 1, 1, 1}, 3, 2 * time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s slow
				g := batch.Group[int, int]{Run: s.run, Max: tt.max, Parallel: tt.parallel}
				begin := time.Now()
				var callers sync.WaitGroup
				for i := range tt.calls {
					callers.Go(func() {
						if got, err := g.Do(t.Context(), 2*i); got != 4*i || err != nil {
							t.Errorf("Do(%d) = %d, %v, want %d", 2*i, got, err, 4*i)
						}
					})
					synctest.Wait()
				}
				callers.Wait()
				if got := s.sizes(); !slices.Equal(got, tt.sizes) {
					t.Errorf("runs of %v questions, want %v", got, tt.sizes)
				}
				if !slices.IsSorted(slices.Concat(s.runs...)) {
					t.Errorf("the questions left out of order: %v", s.runs)
				}
				if took := time.Since(begin); took != tt.took || s.most != tt.most {
					t.Errorf("%v with %d runs at once, want %v with %d", took, s.most, tt.took, tt.most)
				}
			})
		})
	}
}

func TestCallerLeavesWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s slow
		g := batch.Group[int, int]{Run: s.run}
		var callers sync.WaitGroup
		call := func(ctx context.Context, q int, want error, after time.Duration) {
			begin := time.Now()
			callers.Go(func() {
				if _, err := g.Do(ctx, q); !errors.Is(err, want) {
					t.Errorf("Do(%d) = %v, want %v", q, err, want)
				}
				if took := time.Since(begin); took != after {
					t.Errorf("Do(%d) returned after %v, want %v", q, took, after)
				}
			})
			synctest.Wait()
		}
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		call(short, 2, context.DeadlineExceeded, 300*time.Millisecond) // its run is under way
		call(short, 4, context.DeadlineExceeded, 300*time.Millisecond) // its run waits
		call(t.Context(), 6, nil, 2*time.Second)                       // with the one before
		callers.Wait()
		if got := s.sizes(); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("runs of %v questions, want [1 2]", got)
		}
	})
}

func TestRunThatNobodyWaitsForIsLeftOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s slow
		g := batch.Group[int, int]{Run: s.run, Max: 1}
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var callers sync.WaitGroup
		for i, ctx := range []context.Context{t.Context(), short, t.Context()} {
			callers.Go(func() { _, _ = g.Do(ctx, i) })
			synctest.Wait()
		}
		callers.Wait()
		if want := [][]int{{0}, {2}}; !slices.EqualFunc(s.runs, want, slices.Equal[[]int]) {
			t.Errorf("runs %v, want %v", s.runs, want)
		}
	})
}

// lateContext takes its time to tell that it has ended: a run would have begun.
type lateContext struct{ context.Context }

func (c lateContext) Done() <-chan struct{} {
	time.Sleep(time.Second)
	return c.Context.Done()
}

func TestEndedContextAsksNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var s slow
		g := batch.Group[int, int]{Run: s.run}
		if _, err := g.Do(lateContext{ctx}, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("Do = %v, want context.Canceled", err)
		}
		if len(s.runs) > 0 {
			t.Error("ran for a caller that was gone")
		}
	})
}

func TestTimeoutEndsTheRunOnly(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ timeout, want time.Duration }{
		"unset": {0, 5 * time.Second},
		"set":   {200 * time.Millisecond, 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				g := batch.Group[int, int]{Timeout: tt.timeout}
				g.Run = func(ctx context.Context, _ []int) ([]batch.Outcome[int], error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				_, err := g.Do(t.Context(), 2)
				if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took != tt.want {
					t.Errorf("Do = %v after %v, want a deadline exceeded after %v", err, took, tt.want)
				}
			})
		})
	}
}

func TestContextOfARunEndsWithIt(t *testing.T) {
	t.Parallel()
	var kept context.Context
	g := batch.Group[int, int]{Run: func(ctx context.Context, questions []int) ([]batch.Outcome[int], error) {
		kept = ctx
		return double(ctx, questions)
	}}
	if _, err := g.Do(t.Context(), 2); err != nil || !errors.Is(kept.Err(), context.Canceled) {
		t.Errorf("Do = %v, its run's context %v, want it canceled", err, kept.Err())
	}
}

func TestFailuresFailTheirCallersOnly(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]struct {
		run  func() ([]batch.Outcome[int], error)
		want func(error) bool
	}{
		"error": {
			func() ([]batch.Outcome[int], error) { return make([]batch.Outcome[int], 1), broken },
			func(err error) bool { return errors.Is(err, broken) },
		},
		"panic": {
			func() ([]batch.Outcome[int], error) { panic("oh no") },
			func(err error) bool { return strings.Contains(fmt.Sprint(err), "panicked: oh no") },
		},
		"too few outcomes": {
			func() ([]batch.Outcome[int], error) { return nil, nil },
			func(err error) bool { return err != nil },
		},
		"too many outcomes": {
			func() ([]batch.Outcome[int], error) { return make([]batch.Outcome[int], 2), nil },
			func(err error) bool { return err != nil },
		},
		"exit": {
			func() ([]batch.Outcome[int], error) { runtime.Goexit(); return nil, nil },
			func(err error) bool { return err != nil },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := batch.Group[int, int]{Run: func(ctx context.Context, questions []int) ([]batch.Outcome[int], error) {
					time.Sleep(time.Second)
					if questions[0] == 0 {
						return tt.run()
					}
					return double(ctx, questions)
				}}
				var callers sync.WaitGroup
				for q := range 3 {
					callers.Go(func() {
						if q == 0 {
							if got, err := g.Do(t.Context(), 0); got != 0 || !tt.want(err) {
								t.Errorf("Do(0) = %d, %v", got, err)
							}
							return
						}
						if got, err := g.Do(t.Context(), 2*q); got != 4*q || err != nil {
							t.Errorf("the run that waited: Do(%d) = %d, %v", 2*q, got, err)
						}
					})
					synctest.Wait()
				}
				callers.Wait()
				if got, err := g.Do(t.Context(), 8); got != 16 || err != nil {
					t.Errorf("a later call: Do(8) = %d, %v", got, err)
				}
			})
		})
	}
}

// TestAnswersAreFresh asks a counter that every call raises before it asks: an
// answer below the caller's own value comes from a run that had begun before.
func TestAnswersAreFresh(t *testing.T) {
	t.Parallel()
	var world, asked, runs atomic.Int64
	g := batch.Group[int64, int64]{
		Parallel: 3, Max: 5,
		Run: func(_ context.Context, questions []int64) ([]batch.Outcome[int64], error) {
			seen := world.Load()
			runtime.Gosched()
			runs.Add(1)
			outcomes := make([]batch.Outcome[int64], len(questions))
			for i := range outcomes {
				outcomes[i].Answer = seen
			}
			return outcomes, nil
		},
	}
	var callers sync.WaitGroup
	for range 32 {
		callers.Go(func() {
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if own := world.Add(1); own%7 == 0 {
					go cancel()
				}
				own := world.Add(1)
				got, err := g.Do(ctx, own)
				if cancel(); err == nil && got < own {
					t.Errorf("asked at %d, answered from %d", own, got)
				}
				asked.Add(1)
			}
		})
	}
	callers.Wait()
	if runs.Load() >= asked.Load() {
		t.Errorf("%d runs for %d questions: nothing was gathered", runs.Load(), asked.Load())
	}
}

func TestIdleGroupHoldsNoGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails when a goroutine is left at the end
		g := batch.Group[int, int]{Run: double, Parallel: 4}
		for q := range 10 {
			_, _ = g.Do(t.Context(), q)
		}
	})
}
