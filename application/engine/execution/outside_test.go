package execution_test

import (
	"context"
	"strings"
	"testing"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// What a command finds missing is made outside of the transaction around it, which leaves
// nothing behind: another one can write meanwhile, also on SQLite.
func TestWorkIsDoneOutsideOfTheTransactionAroundACommand(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		for name, test := range map[string]struct {
			ask ask
			// runs is how often the handler runs, kept how many of its events stay.
			runs, kept int
			fails      fault.Code
			want       string
		}{
			"plain":               {ask{}, 1, 1, "", `{"value":"made","secret":"hush"}`},
			"dry run":             {ask{dryRun: true}, 2, 0, "", `{"value":"made","secret":"","dry_run":{"events":["settings.updated"],"counts":{"settings.updated":1}}}`},
			"key":                 {ask{key: "k"}, 2, 1, "", `{"value":"made","secret":"hush"}`},
			"dry run under a key": {ask{dryRun: true, key: "k"}, 2, 0, "", `{"value":"made","secret":"","dry_run":{"events":["settings.updated"],"counts":{"settings.updated":1}}}`},
			"refusal":             {ask{key: "refused"}, 2, 1, fault.Validation, ""},
		} {
			l, made, runs := (*lab)(nil), false, 0
			l = over(t, h, writes(func(ctx context.Context, _ command.Call, _ params) (result, error) {
				runs++
				if err := l.record(ctx); err != nil {
					return result{}, err
				}
				if !made {
					if err := outside.Run(ctx, func(ctx context.Context) error {
						made = true
						return l.record(ctx)
					}); err != nil {
						return result{}, err
					}
				}
				if test.fails != "" {
					return result{}, fault.New(test.fails, "no")
				}
				return result{Value: "made", Secret: "hush"}, nil
			}))
			before := l.recorded()
			test.ask.who = l.SignUp(strings.ReplaceAll(name, " ", "-") + "@example.com")
			if answered := l.do(test.ask); test.fails != "" {
				answered.fails(test.fails)
			} else {
				answered.is(test.want)
			}
			if kept := l.recorded() - before - 1; runs != test.runs || kept != test.kept {
				t.Errorf("%s: ran %d times, %d events stay, want %d and %d", name, runs, kept, test.runs, test.kept)
			}
		}
	})
}
