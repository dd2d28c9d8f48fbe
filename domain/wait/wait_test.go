package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/domain/wait"
)

func TestFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := wait.For(t.Context(), time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		if err := wait.For(short, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v, want the context's end", time.Since(began), err)
		}
	})
}

func TestLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, rest := wait.Later(t.Context())
		if err := errors.Join(wait.Owe(ctx, time.Second), wait.Owe(ctx, -time.Hour), wait.Owe(ctx, time.Minute)); err != nil || time.Since(began) != 0 {
			t.Errorf("put off after %v: %v", time.Since(began), err)
		}
		if err := rest(t.Context()); err != nil || time.Since(began) != time.Minute+time.Second {
			t.Errorf("after %v: %v, want all that was put off", time.Since(began), err)
		}
		began = time.Now()
		if err := wait.Owe(t.Context(), time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("at once: after %v: %v", time.Since(began), err)
		}
	})
}
