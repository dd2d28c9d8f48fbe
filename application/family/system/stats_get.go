package system

import (
	"context"
	"fmt"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
)

// StatsGetResult is the result of SYSTEM.STATS_GET.
type StatsGetResult struct {
	Rows       map[string]int64 `json:"rows" doc:"Rows by table; a count may be the database's estimate."`
	Queues     []Queue          `json:"queues" doc:"Work that waits."`
	StoreBytes int64            `json:"store_bytes" doc:"Size of the store."`
}

// Queue is a queue in results.
type Queue struct {
	Name          string `json:"name" doc:"What the work is."`
	Ready         int    `json:"ready" doc:"How much of it is due."`
	OldestSeconds int    `json:"oldest_seconds" doc:"How long the oldest has been due; 0 when none is."`
}

func (s *Service) statsGet() command.Definition {
	return command.Define(command.Spec[command.None, StatsGetResult]{
		Name:    "SYSTEM.STATS_GET",
		Summary: "Tell how many rows the store has, how large it is, and what work waits.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (StatsGetResult, error) {
			rows, err := s.Upkeep.Rows(ctx)
			if err != nil {
				return StatsGetResult{}, fmt.Errorf("count rows: %w", err)
			}
			size, err := s.Upkeep.Bytes(ctx)
			if err != nil {
				return StatsGetResult{}, fmt.Errorf("measure the store: %w", err)
			}
			mails, err := s.mailQueue(ctx)
			if err != nil {
				return StatsGetResult{}, err
			}
			return StatsGetResult{Rows: rows, Queues: []Queue{mails}, StoreBytes: size}, nil
		},
	})
}

func (s *Service) mailQueue(ctx context.Context) (Queue, error) {
	now := s.Clock.Now()
	ready, oldest, err := s.Mails.Backlog(ctx, now)
	if err != nil {
		return Queue{}, fmt.Errorf("look at the queue of mail: %w", err)
	}
	queue := Queue{Name: "mail", Ready: ready}
	if ready > 0 {
		queue.OldestSeconds = int(now.Sub(oldest).Seconds())
	}
	return queue, nil
}
