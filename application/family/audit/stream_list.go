package audit

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// StreamListResult is the result of AUDIT.STREAM_LIST.
type StreamListResult struct {
	Items []Stream `json:"items" doc:"The streams, newest first."`
}

func (s *Service) streamList() command.Definition {
	return command.Define(command.Spec[command.None, StreamListResult]{
		Name:    "AUDIT.STREAM_LIST",
		Summary: "List the streams of the active workspace's log, for superadmins those of the instance, with their lag and the last error.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (StreamListResult, error) {
			found, err := s.Streams.List(ctx, owner(call.Caller))
			if err != nil {
				return StreamListResult{}, err
			}
			result := StreamListResult{Items: make([]Stream, len(found))}
			for i, one := range found {
				next, err := s.Streams.Next(ctx, one)
				if err != nil {
					return StreamListResult{}, err
				}
				result.Items[i] = s.shown(one, next)
			}
			return result, nil
		},
	})
}
