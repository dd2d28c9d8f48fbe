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

var errWide = fault.New(fault.Validation, "the range has more than 1,000,000 events: verify it in parts by from and to")

// VerifyParams are the parameters of AUDIT.VERIFY.
type VerifyParams struct {
	From time.Time `json:"from,omitzero" doc:"First moment to check; absent: the oldest event that is kept."`
	To   time.Time `json:"to,omitzero" doc:"First moment beyond those to check; absent: now. Events enter the chain within a minute."`
	Head string    `json:"head,omitzero" doc:"A head that you kept: does the chain still have the block that it states? It is compared, its signature is not looked at." jsonschema:"maxLength=2048" example:"-"`
}

// Break is where the log is broken.
type Break struct {
	What    string    `json:"what" doc:"Whether an event, or a whole block of the chain where none is named, was altered, is missing or was inserted." jsonschema:"enum=altered,enum=missing,enum=inserted"`
	Block   int64     `json:"block" doc:"Number of the block of the chain."`
	EventID *event.ID `json:"event_id" doc:"The event; null where it is none of the active workspace, or nothing is left that says which it was."`
	At      time.Time `json:"at,omitzero" doc:"When it was minted, or where nothing is left of it the one behind it; absent where the block itself is broken."`
}

// VerifyResult is the result of AUDIT.VERIFY.
type VerifyResult struct {
	Intact     bool   `json:"intact" doc:"Whether every event of the range is what it was, none is missing and none was added."`
	Checked    int    `json:"checked" doc:"How many events were looked at, those of other workspaces among them: the chain is one."`
	Erased     int    `json:"erased" doc:"Of how many of those the personal fields were erased: of them the rest alone is proved."`
	Head       string `json:"head,omitzero" doc:"The newest head that the service signed, which it does within an hour of new events: a JWS by a key of its JWKS whose claims are iss, iat, and the number (block) and hash of a block. Kept elsewhere, it proves later that the log up to there was not rewritten. Absent: there is none yet."`
	FirstBreak *Break `json:"first_break,omitzero" doc:"The first place where it is not."`
}

func (s *Service) verify() command.Definition {
	return command.Define(command.Spec[VerifyParams, VerifyResult]{
		Name: "AUDIT.VERIFY",
		Summary: "Check the hash chain of the log, at most 1,000,000 events a call: was one altered, removed or inserted? " +
			"Personal data that was erased, and sealing under another key, leave it whole.",
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
