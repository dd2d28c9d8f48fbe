// Package upkeep implements the background work of an instance: it deletes expired
// data, rotates signing keys on schedule, and detects waves of failed logins.
//
// # Decision
//
// Context: replicas share one store without a leader, and any of them may be stopped at
// any time. Choice: each replica does all of this, in passes that decide inside the
// transaction that acts, under the lock of the row they decide about. So a second
// replica finds the work done, and an interrupted pass is completed by the next one. To
// be reconsidered for a task too expensive to be checked by all of them.
package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/maildomains"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// How often a replica looks.
const (
	watchEvery  = 5 * time.Second
	rotateEvery = time.Minute
	purgeEvery  = time.Minute
	lookEvery   = time.Minute
	endsEvery   = time.Minute
	indexEvery  = time.Minute
)

// passTime is the time limit of a pass, or of a batch of one that has several. What is
// not done is left to the next pass.
const passTime = 30 * time.Second

// Repos holds the repositories of one unit of work.
type Repos struct {
	Keys     ops.KeyRing
	Failures signin.LoginFailures
	Ended    licensing.Ended
	// APIKeys are announced before they expire.
	APIKeys machines.ExpiringAPIKeys
	Events  outbound.Events
	// Impersonations end with what they rest on, and their Sessions with them.
	Impersonations people.Impersonations
	Sessions       people.Sessions
}

// Keeper looks after an instance while it runs.
type Keeper struct {
	Unit     outbound.Unit[Repos]
	Upkeep   ops.Upkeep
	Instance *instance.Current
	// Policies may forbid impersonations that go on.
	Policies account.Policies
	Keys     *keys.Rack
	Domains  *maildomains.Watch
	Replicas ops.Replicas
	Search   people.SearchIndex
	// Self is how this replica announces itself.
	Self   ops.Replica
	Clock  outbound.Clock
	Logger *slog.Logger
}

// task is something that is done again and again.
type task struct {
	name  string
	every time.Duration
	pass  func(context.Context) error
	// first says that the first pass is made at once, not only after a while.
	first bool
}

func (k *Keeper) tasks() []task {
	return []task{
		{name: "watch sign-ins", every: watchEvery, pass: timely(k.watch)},
		{name: "rotate signing keys", every: rotateEvery, pass: timely(k.rotate)},
		{name: "check domains", every: lookEvery, pass: k.lookUp},
		{name: "record expirations", every: endsEvery, pass: k.tellEnds},        // whose batches are timely
		{name: "purge", every: purgeEvery, pass: k.purge},                       // so are these
		{name: "index accounts", every: indexEvery, pass: k.index, first: true}, // so are these
		{name: "announce the replica", every: announceEvery, pass: timely(k.announce), first: true},
	}
}

// lookUp checks verified domains within the time limit of a pass; the next one
// continues.
func (k *Keeper) lookUp(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, passTime)
	defer cancel()
	err := k.Domains.Pass(within)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// timely is work that ends once its time is over.
func timely(work func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, passTime)
		defer cancel()
		return work(ctx)
	}
}

// Run does all tasks, each at its own pace, until the context ends and the
// passes under way have ended.
func (k *Keeper) Run(ctx context.Context) {
	var working sync.WaitGroup
	for _, t := range k.tasks() {
		working.Go(func() { k.repeat(ctx, t) })
	}
	working.Wait()
	k.leave(ctx)
}

// repeat logs the first of several failures in a row, and that it is over.
func (k *Keeper) repeat(ctx context.Context, t task) {
	ticker := time.NewTicker(t.every)
	defer ticker.Stop()
	failing := false
	for now := t.first; ; now = false {
		if !now {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
		err := t.pass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			k.Logger.WarnContext(ctx, "maintenance task fails", "task", t.name, "cause", err)
		case err == nil && failing:
			k.Logger.InfoContext(ctx, "maintenance task works again", "task", t.name)
		}
		failing = err != nil
	}
}
