package audit

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/relay"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
)

// StreamTestParams are the parameters of AUDIT.STREAM_TEST.
type StreamTestParams struct {
	StreamID auditstream.ID `json:"stream_id" doc:"ID of the audit stream. It can be disabled."`
}

// StreamTestResult is the result of AUDIT.STREAM_TEST.
type StreamTestResult struct {
	Delivered bool    `json:"delivered" doc:"Whether the collector accepted the test entry."`
	Error     *string `json:"error,omitzero" doc:"Error message. Not set if the entry was delivered."`
}

// testsPerMinute bounds how often a caller has something sent.
const testsPerMinute = 10

func (s *Service) streamTest() command.Definition {
	return command.Define(command.Spec[StreamTestParams, StreamTestResult]{
		Name:        "AUDIT.STREAM_TEST",
		Summary:     "Send a test entry through an audit stream.",
		Description: "Makes one attempt now. The test entry does not appear in any log.",
		Access:      access.Holding(writing),
		Effect:      command.Outside,
		Limits:      []limit.Spec{limit.PerMinute(limit.Token, testsPerMinute)},
		Handle: func(ctx context.Context, call command.Call, p StreamTestParams) (result StreamTestResult, err error) {
			var to auditstream.Snapshot
			err = s.Unit.Do(ctx, func(tx Repos) error {
				a, err := held(ctx, tx, call.Caller, p.StreamID)
				if err == nil {
					to = a.Snapshot()
				}
				return err
			})
			if err != nil {
				return result, err
			}
			to.Filter = auditstream.Filter{}
			batch, err := relay.BatchOf(to, []event.Record{s.example(to)}, to.Position)
			if err != nil {
				return result, err
			}
			batch.ID += "-test"
			var refused error
			err = s.Transactions.Pause(ctx, func() error {
				refused = s.Shipper.Ship(ctx, to, batch, s.now())
				return nil
			})
			if refused != nil {
				why := refused.Error()
				result.Error = &why
			}
			result.Delivered = refused == nil
			return result, err
		},
	})
}
