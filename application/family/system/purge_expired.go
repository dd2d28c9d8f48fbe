package system

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	domainupkeep "gatehouse.internal/domain/upkeep"
	"gatehouse.internal/ports/outbound/ops"
)

// PurgeExpiredParams are the parameters of SYSTEM.PURGE_EXPIRED.
type PurgeExpiredParams struct {
	Kinds []ops.PurgeKind `json:"kinds,omitzero" doc:"Kinds of data to remove. Defaults to all kinds that can expire." jsonschema:"minItems=1,uniqueItems=true"`
}

// PurgeExpiredResult is the result of SYSTEM.PURGE_EXPIRED.
type PurgeExpiredResult struct {
	Deleted map[ops.PurgeKind]int `json:"deleted" doc:"Number of rows removed, by kind."`
}

func (s *Service) purgeExpired() command.Definition {
	return command.Define(command.Spec[PurgeExpiredParams, PurgeExpiredResult]{
		Name:    "SYSTEM.PURGE_EXPIRED",
		Summary: "Remove expired data now.",
		Description: "Expired data is otherwise removed overnight. Rows are removed in small batches. If the command fails, rows already removed stay " +
			"removed.",
		Access: access.Superadmin(),
		Effect: command.Writes,
		Emits:  []event.Kind{domainupkeep.KindPurged},
		Handle: func(ctx context.Context, _ command.Call, p PurgeExpiredParams) (PurgeExpiredResult, error) {
			if len(p.Kinds) == 0 {
				p.Kinds = ops.PurgeKinds()
			}
			for i, kind := range p.Kinds {
				p.Kinds[i] = kind.Current()
			}
			// What a failure left removed is told all the same.
			deleted, failed := upkeep.Purger{Upkeep: s.Upkeep, Instance: s.Instance, Clock: s.Clock}.Purge(ctx, p.Kinds)
			purged := domainupkeep.Purged{Deleted: map[string]int{}}
			for kind, rows := range deleted {
				purged.Deleted[string(kind)] = rows
			}
			err := s.Unit.Do(ctx, func(tx Repos) error { return tx.Events.Record(ctx, purged) })
			if err = errors.Join(failed, err); err != nil {
				return PurgeExpiredResult{}, fmt.Errorf("purge expired rows: %w", err)
			}
			return PurgeExpiredResult{Deleted: deleted}, nil
		},
	})
}
