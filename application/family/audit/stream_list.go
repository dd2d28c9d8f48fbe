package audit

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/workspace"
)

// StreamListParams are the parameters of AUDIT.STREAM_LIST.
type StreamListParams struct {
	OrgID workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose streams to list. Defaults to the active workspace, or to the instance if you are a superadmin." example:"-"`
}

// StreamListResult is the result of AUDIT.STREAM_LIST.
type StreamListResult struct {
	Items []Stream `json:"items" doc:"Audit streams, newest first."`
}

func (s *Service) streamList() command.Definition {
	return command.Define(command.Spec[StreamListParams, StreamListResult]{
		Name:        "AUDIT.STREAM_LIST",
		Summary:     "List audit streams.",
		Description: "Returns the streams of a workspace or the instance, each with its lag and last error.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p StreamListParams) (StreamListResult, error) {
			found, err := s.Streams.List(ctx, bound(call.Caller, p.OrgID))
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
