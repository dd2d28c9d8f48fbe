package audit

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
)

const (
	// verifiedBlocks is how many blocks a call looks at, readAtOnce how many it reads together.
	verifiedBlocks = 2000
	readAtOnce     = 20
	// verifiedPerMinute bounds what a caller has read of the log.
	verifiedPerMinute = 6
)

var errWide = fault.New(fault.Validation, "the range has more than 1,000,000 events: verify it in parts by from and to")

// VerifyParams are the parameters of AUDIT.VERIFY.
type VerifyParams struct {
	From time.Time `json:"from,omitzero" doc:"First moment to check; absent: the oldest event that is kept."`
	To   time.Time `json:"to,omitzero" doc:"First moment beyond those to check; absent: now. Events enter the chain within a minute."`
}

// Break is where the log is broken.
type Break struct {
	What    string    `json:"what" doc:"Whether an event, or a whole block of the chain where none is named, was altered, is missing or was inserted." jsonschema:"enum=altered,enum=missing,enum=inserted"`
	Block   int64     `json:"block" doc:"Number of the block of the chain."`
	EventID *event.ID `json:"event_id" doc:"The event; null where it is none of the active workspace."`
	At      time.Time `json:"at,omitzero" doc:"When it was minted; absent where the block itself is broken."`
}

// VerifyResult is the result of AUDIT.VERIFY.
type VerifyResult struct {
	Intact     bool   `json:"intact" doc:"Whether every event of the range is what it was, none is missing and none was added."`
	Checked    int    `json:"checked" doc:"How many events were looked at, those of other workspaces among them: the chain is one."`
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
			checked, broken, err := s.check(ctx, p)
			if err != nil {
				return VerifyResult{}, err
			}
			return VerifyResult{Intact: broken == nil, Checked: checked, FirstBreak: shownBreak(call.Caller, broken)}, nil
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

// check walks the chain over a range; the block before it is where the walk begins.
func (s *Service) check(ctx context.Context, p VerifyParams) (checked int, broken *audit.Break, err error) {
	first, err := s.Chain.FirstSince(ctx, p.From)
	if err != nil || first == 0 {
		return 0, nil, err
	}
	hashes := map[int64]string{}
	var before audit.Block
	if first > 1 {
		some, err := s.Chain.Blocks(ctx, first-1, time.Time{}, 1)
		if err != nil {
			return 0, nil, err
		}
		before = some[0]
		if before.Number != first-1 {
			return 0, &audit.Break{What: audit.Missing, Block: first - 1}, nil
		}
	}
	from := first
	for next := first; ; {
		blocks, err := s.Chain.Blocks(ctx, next, p.To, readAtOnce)
		if err != nil {
			return checked, nil, err
		}
		for _, b := range blocks {
			hashes[b.Number] = b.Hash
			n, broken, err := s.checkBlock(ctx, before, b)
			if checked += n; err != nil || broken != nil {
				return checked, broken, err
			}
			before, next = b, b.Number+1
		}
		if next-from > verifiedBlocks {
			return checked, nil, errWide
		}
		if len(blocks) < readAtOnce {
			broken, err = s.checkHeads(ctx, from, next-1, hashes)
			return checked, broken, err
		}
	}
}

func (s *Service) checkBlock(ctx context.Context, before, b audit.Block) (int, *audit.Break, error) {
	if b.Number != before.Number+1 {
		return 0, &audit.Break{What: audit.Missing, Block: before.Number + 1}, nil
	}
	if b.Cut {
		if !b.Follows(before) {
			return 0, &audit.Break{What: audit.Altered, Block: b.Number}, nil
		}
		return 0, nil, nil
	}
	links, strays, err := s.Chain.Now(ctx, before, b)
	if err != nil {
		return 0, nil, err
	}
	broken := b.Check(before, links, strays)
	if broken == nil && !b.Follows(before) {
		broken = &audit.Break{What: audit.Altered, Block: b.Number}
	}
	return len(b.Proofs), broken, nil
}

// checkHeads compares the chain with the heads that were signed. The newest tells whether its
// end was cut off.
func (s *Service) checkHeads(ctx context.Context, from, to int64, hashes map[int64]string) (*audit.Break, error) {
	heads, err := s.Heads.HeadsFrom(ctx, from, to)
	if err != nil {
		return nil, err
	}
	tail, err := s.Chain.Tail(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range heads {
		signed := hex.EncodeToString(s.HeadKey.Sum("audit head", h.Text()))
		hash, within := hashes[h.Number]
		switch {
		case !hmac.Equal([]byte(signed), []byte(h.Signature)), within && hash != h.Hash:
			return &audit.Break{What: audit.Altered, Block: h.Number}, nil
		case h.Number > tail.Number:
			return &audit.Break{What: audit.Missing, Block: tail.Number + 1}, nil
		}
	}
	return nil, nil //nolint:nilnil // no break is no error
}
