package system

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/job"
)

// StatsGetResult is the result of SYSTEM.STATS_GET.
type StatsGetResult struct {
	Rows       map[string]int64 `json:"rows" doc:"Rows by table; a count may be the database's estimate."`
	Queues     []Queue          `json:"queues" doc:"Work that waits."`
	Jobs       JobCounts        `json:"jobs" doc:"Jobs that are stored: those that have not ended, and those of the last 30 days."`
	StoreBytes int64            `json:"store_bytes" doc:"Size of the store."`
}

// JobCounts are how many jobs there are of each status.
type JobCounts struct {
	Queued    int `json:"queued" doc:"Jobs that wait."`
	Running   int `json:"running" doc:"Jobs that a replica is at."`
	Succeeded int `json:"succeeded" doc:"Jobs that came to their end."`
	Failed    int `json:"failed" doc:"Jobs that ended early."`
	Canceled  int `json:"canceled" doc:"Jobs that somebody stopped."`
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
			counts, err := s.Jobs.Counts(ctx)
			if err != nil {
				return StatsGetResult{}, err
			}
			return StatsGetResult{Rows: rows, Queues: []Queue{mails}, StoreBytes: size, Jobs: JobCounts{
				Queued: counts[job.Queued], Running: counts[job.Running], Succeeded: counts[job.Succeeded],
				Failed: counts[job.Failed], Canceled: counts[job.Canceled],
			}}, nil
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
