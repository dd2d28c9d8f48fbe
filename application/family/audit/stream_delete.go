package audit

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
)

// StreamDeleteParams are the parameters of AUDIT.STREAM_DELETE.
type StreamDeleteParams struct {
	StreamID auditstream.ID `json:"stream_id" doc:"ID of the audit stream."`
}

// StreamDeleteResult is the result of AUDIT.STREAM_DELETE.
type StreamDeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) streamDelete() command.Definition {
	return command.Define(command.Spec[StreamDeleteParams, StreamDeleteResult]{
		Name:        "AUDIT.STREAM_DELETE",
		Summary:     "Delete an audit stream.",
		Description: "No further events are sent to the collector.\n\nRequires a sign-in within the last 15 minutes.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{auditstream.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p StreamDeleteParams) (StreamDeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				a, err := held(ctx, tx, call.Caller, p.StreamID)
				if err != nil {
					return err
				}
				a.Delete()
				return tx.Streams.Delete(ctx, a)
			})
			if err != nil {
				return StreamDeleteResult{}, err
			}
			return StreamDeleteResult{Deleted: true}, nil
		},
	})
}
