package execution

import (
	"bytes"
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/wait"
)

// takesDryRun refuses a dry run of a command that cannot be rolled back, or that changes
// nothing.
func (e *Engine) takesDryRun(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if run.DryRun && run.Definition.Effect != command.Writes {
			return nil, fault.Invalid("/dry_run", "this command "+refusal(run.Definition.Effect)+": omit dry_run")
		}
		return next(ctx, run)
	}
}

// dryRun executes a command and rolls back. The response is that of a real call with
// blank secrets, the kinds of events that would have been stored, and how many of each.
// A wrong guess of a secret is kept, since a dry run must not allow guessing without being
// counted and locked.
func (e *Engine) dryRun(next Step) Step {
	return func(ctx context.Context, run *Run) ([]byte, error) {
		if !run.DryRun {
			return next(ctx, run)
		}
		var (
			data    []byte
			refused error
		)
		err := e.transact(ctx, run, func(ctx context.Context) bool {
			data, refused = next(ctx, run)
			return run.Definition.Guarded && refused != nil && fault.From(refused).Code != fault.Internal
		})
		if err != nil {
			return nil, err
		}
		if refused != nil {
			return nil, refused
		}
		return withDryRun(data, run.Recorder.Kinds)
	}
}

// transact runs work in a transaction around a command. What a command that only writes to
// the store finds missing, such as a compiled expression, is made outside of the transaction,
// which begins again. Delays imposed by the work, such as after a wrong password, happen
// afterwards. No locks are held meanwhile.
func (e *Engine) transact(ctx context.Context, run *Run, work func(ctx context.Context) (keep bool)) error {
	later, rest := wait.Later(ctx)
	within := func(ctx context.Context, keep func(bool) bool) error {
		run.Recorder = event.Recorder{}
		return e.Transactions.Within(ctx, func(ctx context.Context) bool { return keep(work(ctx)) })
	}
	around := outside.Around
	if run.Definition.Effect == command.Outside {
		around = outside.Once
	}
	if err := around(later, within); err != nil {
		return err
	}
	_ = rest(ctx) // whoever asked is gone when this fails
	return nil
}

func refusal(effect command.Effect) string {
	if effect == command.Outside {
		return "calls external services and cannot be rolled back"
	}
	return "only reads data"
}

// withDryRun adds the key dry_run to the result's object.
func withDryRun(data []byte, kinds []event.Kind) ([]byte, error) {
	effects := struct {
		Events []event.Kind       `json:"events"`
		Counts map[event.Kind]int `json:"counts"`
	}{Counts: make(map[event.Kind]int)}
	for _, kind := range kinds {
		if effects.Counts[kind]++; effects.Counts[kind] == 1 {
			effects.Events = append(effects.Events, kind)
		}
	}
	encoded, err := strictjson.Encode(effects)
	if err != nil {
		return nil, fmt.Errorf("encode the effects of a dry run: %w", err)
	}
	separator := ","
	if bytes.Equal(data, []byte("{}")) {
		separator = ""
	}
	return fmt.Appendf(nil, `%s%s"dry_run":%s}`, data[:len(data)-1], separator, encoded), nil
}
