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
	Rows       map[string]int64 `json:"rows" doc:"Number of rows by table. Counts may be estimates of the database."`
	Queues     []Queue          `json:"queues" doc:"Work queues."`
	Jobs       JobCounts        `json:"jobs" doc:"Number of stored jobs by status. Stored jobs are unfinished ones and those that finished in the last 30 days."`
	StoreBytes int64            `json:"store_bytes" doc:"Size of the database in bytes."`
}

// JobCounts are how many jobs there are of each status.
type JobCounts struct {
	Queued    int `json:"queued" doc:"Number of waiting jobs."`
	Running   int `json:"running" doc:"Number of running jobs."`
	Succeeded int `json:"succeeded" doc:"Number of jobs that completed."`
	Failed    int `json:"failed" doc:"Number of jobs that failed."`
	Canceled  int `json:"canceled" doc:"Number of jobs that were canceled."`
}

// Queue is a queue in results.
type Queue struct {
	Name          string `json:"name" doc:"Name of the queue."`
	Ready         int    `json:"ready" doc:"Number of items that are due."`
	OldestSeconds int    `json:"oldest_seconds" doc:"How long the oldest item has been due. Seconds. 0 if no item is due."`
}

func (s *Service) statsGet() command.Definition {
	return command.Define(command.Spec[command.None, StatsGetResult]{
		Name:        "SYSTEM.STATS_GET",
		Summary:     "Get statistics about the database, queues and jobs.",
		Description: "Returns the number of rows in each table, the size of the database, and the amount of pending work.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
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
		return Queue{}, fmt.Errorf("read the mail queue: %w", err)
	}
	queue := Queue{Name: "mail", Ready: ready}
	if ready > 0 {
		queue.OldestSeconds = int(now.Sub(oldest).Seconds())
	}
	return queue, nil
}
