package audit

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
)

// verifiedPerMinute bounds what a caller has read of the log.
const verifiedPerMinute = 6

var errWide = fault.New(fault.Validation, "the range has more than 1,000,000 events: verify smaller ranges with from and to")

// VerifyParams are the parameters of AUDIT.VERIFY.
type VerifyParams struct {
	From time.Time `json:"from,omitzero" doc:"Start of the time range, inclusive. Defaults to the oldest event kept."`
	To   time.Time `json:"to,omitzero" doc:"End of the time range, exclusive. Defaults to now. Events enter the chain within a minute."`
	Head string    `json:"head,omitzero" doc:"A head that you kept from an earlier result. Checks that the chain still contains the block it states. Its signature is not verified." jsonschema:"maxLength=2048" example:"-"`
}

// Break is where the log is broken.
type Break struct {
	What    string    `json:"what" doc:"Whether the event was altered, is missing or was inserted. Refers to the whole block of the chain if no event is named." jsonschema:"enum=altered,enum=missing,enum=inserted"`
	Block   int64     `json:"block" doc:"Number of the block in the chain."`
	EventID *event.ID `json:"event_id" doc:"ID of the event. Null if it does not belong to the active workspace or can no longer be identified."`
	At      time.Time `json:"at,omitzero" doc:"When the event was created, or the event after it if nothing is left of it. Not set if the block itself is broken."`
}

// VerifyResult is the result of AUDIT.VERIFY.
type VerifyResult struct {
	Intact     bool   `json:"intact" doc:"Whether no event in the range was altered, is missing or was inserted."`
	Checked    int    `json:"checked" doc:"Number of events checked. Includes events of other workspaces, because all share one chain."`
	Erased     int    `json:"erased" doc:"Number of events in the range whose personal data was erased. Only their remaining fields are verified."`
	Head       string `json:"head,omitzero" doc:"Newest chain head signed by the service: a JWS signed with a key from its JWKS. Its claims are iss, iat, and the number (block) and hash of a block. A head is signed within an hour of new events. Keep it elsewhere to prove later that the log up to that block was not rewritten. Not set if there is none yet."`
	FirstBreak *Break `json:"first_break,omitzero" doc:"First place where the log is not intact. Not set if it is intact."`
}

func (s *Service) verify() command.Definition {
	return command.Define(command.Spec[VerifyParams, VerifyResult]{
		Name:    "AUDIT.VERIFY",
		Summary: "Verify the hash chain of the event log.",
		Description: "Detects events that were altered, removed or inserted. One call checks at most 1,000,000 events: use `from` and `to` to check " +
			"more in parts.\n\nErased personal data and encryption under another key do not break the chain.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Limits: []limit.Spec{limit.PerMinute(limit.Token, verifiedPerMinute)},
		Handle: func(ctx context.Context, call command.Call, p VerifyParams) (VerifyResult, error) {
			if err := inOrder(p.From, p.To); err != nil {
				return VerifyResult{}, err
			}
			found, err := s.check(ctx, p)
			if err == nil && found.broken == nil && p.Head != "" {
				err = s.checkKept(ctx, p.Head, &found)
			}
			if err != nil {
				return VerifyResult{}, err
			}
			return VerifyResult{
				Intact: found.broken == nil, Checked: found.checked, Erased: found.erased, Head: found.head, FirstBreak: shownBreak(call.Caller, found.broken),
			}, nil
		},
	})
}

func shownBreak(caller access.Caller, b *audit.Break) *Break {
	if b == nil {
		return nil
	}
	shown := &Break{What: b.What, Block: b.Block, At: b.At}
	if b.Event != "" && (caller.Superadmin || b.OrgID != "" && b.OrgID == caller.Org.String()) {
		shown.EventID = &b.Event
	}
	return shown
}
