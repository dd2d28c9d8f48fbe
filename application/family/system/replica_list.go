package system

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/domain/access"
)

// ReplicaListResult is the result of SYSTEM.REPLICA_LIST.
type ReplicaListResult struct {
	Items []Replica `json:"items" doc:"Replicas, longest running first."`
}

// Replica is a replica in results.
type Replica struct {
	Replica     string    `json:"replica" doc:"Name of the replica: its host name and an identifier unique on that host."`
	Version     string    `json:"version" doc:"Version the replica runs."`
	StartedAt   time.Time `json:"started_at" doc:"When the replica was started."`
	LastSeenAt  time.Time `json:"last_seen_at" doc:"When the replica last reported that it is alive. Replicas report every 15 seconds."`
	ClockSkewMS int64     `json:"clock_skew_ms" doc:"How far the replica's clock was ahead of the database's clock at that time, or behind if negative. Milliseconds. Always 0 with SQLite."`
}

func (s *Service) replicaList() command.Definition {
	return command.Define(command.Spec[command.None, ReplicaListResult]{
		Name:        "SYSTEM.REPLICA_LIST",
		Summary:     "List the replicas that are alive.",
		Description: "Returns the replicas that share the database, each with its version and clock skew.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (ReplicaListResult, error) {
			now, _, err := s.Upkeep.Clocks(ctx)
			if err != nil {
				return ReplicaListResult{}, err
			}
			if now.IsZero() {
				now = s.Clock.Now()
			}
			found, err := s.Replicas.List(ctx, now.Add(-upkeep.AliveFor))
			if err != nil {
				return ReplicaListResult{}, err
			}
			result := ReplicaListResult{Items: make([]Replica, len(found))}
			for i, one := range found {
				result.Items[i] = Replica{
					Replica: one.ID, Version: one.Version, StartedAt: one.StartedAt, LastSeenAt: one.LastSeenAt, ClockSkewMS: one.Skew.Milliseconds(),
				}
			}
			return result, nil
		},
	})
}
