package expressions

import (
	"context"
	"sync"

	"gatehouse.internal/domain/workspace"
)

// turns has each workspace work on one thing at a time. Its zero value is ready for use.
type turns struct {
	guard sync.Mutex
	// queues are by workspaces that work or wait.
	queues map[workspace.ID]*queue
}

// queue is a workspace in turns.
type queue struct {
	// turn is held while working. Unlike a mutex it is granted in order of arrival.
	turn    chan struct{}
	waiting int
}

// take does work when it is the turn of a workspace. It fails with the context if that ends
// before.
func (t *turns) take(ctx context.Context, org workspace.ID, work func() error) error {
	own := t.enter(org)
	defer t.leave(org, own)
	select {
	case own.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-own.turn }()
	if err := ctx.Err(); err != nil {
		return err
	}
	return work()
}

func (t *turns) enter(org workspace.ID) *queue {
	t.guard.Lock()
	defer t.guard.Unlock()
	if t.queues == nil {
		t.queues = map[workspace.ID]*queue{}
	}
	own := t.queues[org]
	if own == nil {
		own = &queue{turn: make(chan struct{}, 1)}
		t.queues[org] = own
	}
	own.waiting++
	return own
}

func (t *turns) leave(org workspace.ID, own *queue) {
	t.guard.Lock()
	defer t.guard.Unlock()
	if own.waiting--; own.waiting == 0 {
		delete(t.queues, org)
	}
}
