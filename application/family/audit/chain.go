package audit

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/crypt"
)

// verifiedBlocks is how many blocks a call looks at, readAtOnce how many it reads together.
const (
	verifiedBlocks = 2000
	readAtOnce     = 20
)

// findings are what a walk along the chain found.
type findings struct {
	checked, erased int
	broken          *audit.Break
	// head is the newest, as it was signed.
	head string
}

// check walks the chain over a range; the block before it is where the walk begins.
func (s *Service) check(ctx context.Context, p VerifyParams) (found findings, err error) {
	first, err := s.Chain.FirstSince(ctx, p.From)
	if err != nil {
		return found, err
	}
	hashes := map[int64]string{}
	if first == 0 {
		err = s.checkHeads(ctx, 0, 0, hashes, &found)
		return found, err
	}
	before, err := s.blockBefore(ctx, first)
	if err != nil {
		return found, err
	}
	if before.Number != first-1 {
		found.broken = &audit.Break{What: audit.Missing, Block: first - 1}
		return found, nil
	}
	from := first
	for next := first; ; next = before.Number + 1 {
		blocks, err := s.Chain.Blocks(ctx, next, p.To, readAtOnce)
		if err != nil {
			return found, err
		}
		for _, b := range blocks {
			hashes[b.Number] = b.Hash
			if err := s.checkBlock(ctx, before, b, &found); err != nil || found.broken != nil {
				return found, err
			}
			before = b
		}
		switch {
		case before.Number-from >= verifiedBlocks:
			return found, errWide
		case len(blocks) < readAtOnce:
			err = s.checkHeads(ctx, from, before.Number, hashes, &found)
			return found, err
		}
	}
}

// blockBefore returns the block before another, or the first there is; the zero block before the first.
func (s *Service) blockBefore(ctx context.Context, number int64) (audit.Block, error) {
	if number == 1 {
		return audit.Block{}, nil
	}
	found, err := s.Chain.Blocks(ctx, number-1, time.Time{}, 1)
	if err != nil || len(found) == 0 {
		return audit.Block{}, err
	}
	return found[0], nil
}

func (s *Service) checkBlock(ctx context.Context, before, b audit.Block, found *findings) error {
	if b.Number != before.Number+1 {
		found.broken = &audit.Break{What: audit.Missing, Block: before.Number + 1}
		return nil
	}
	if b.Cut {
		if !b.Follows(before) {
			found.broken = &audit.Break{What: audit.Altered, Block: b.Number}
		}
		return nil
	}
	links, strays, err := s.Chain.Now(ctx, before, b)
	if err != nil {
		return err
	}
	found.broken = b.Check(before, links, strays)
	if found.broken == nil && !b.Follows(before) {
		found.broken = &audit.Break{What: audit.Altered, Block: b.Number}
	}
	found.checked += len(b.Proofs)
	found.erased += b.Erased()
	return nil
}

// checkHeads compares the chain with the heads that were signed. By the newest it
// is seen whether its end was cut off.
func (s *Service) checkHeads(ctx context.Context, from, to int64, hashes map[int64]string, found *findings) error {
	heads, err := s.Heads.HeadsFrom(ctx, from, to)
	if err != nil {
		return err
	}
	tail, err := s.Chain.Tail(ctx)
	if err != nil {
		return err
	}
	for _, h := range heads {
		hash, within := hashes[h.Number]
		switch {
		case !s.signed(h), within && hash != h.Hash:
			found.broken = &audit.Break{What: audit.Altered, Block: h.Number}
		case h.Number > tail.Number:
			found.broken = &audit.Break{What: audit.Missing, Block: tail.Number + 1}
		}
		if found.broken != nil {
			return nil
		}
		found.head = h.Token
	}
	return nil
}

// signed reports whether a head says what was signed. One by a key that signs and verifies no
// more is as good as none: its hash is compared all the same.
func (s *Service) signed(h audit.Head) bool {
	keys, now, ours := s.Instance.State().Keys, s.Clock.Now(), false
	verified, err := s.JOSE.Verify(h.Token, audit.HeadType, func(kid string) (crypt.SigningKey, bool) {
		key, known := keys.Accepted(kid, now)
		ours = ours || known
		return key, known
	})
	if !ours {
		return true
	}
	var states audit.Statement
	return err == nil && strictjson.Decode(verified.Payload, &states) == nil && h.States(states)
}

// checkKept compares the chain with a head that somebody kept.
func (s *Service) checkKept(ctx context.Context, token string, found *findings) error {
	states, err := statement(token)
	if err != nil {
		return err
	}
	blocks, err := s.Chain.Blocks(ctx, states.Block, time.Time{}, 1)
	switch {
	case err != nil:
		return err
	case len(blocks) == 0 || blocks[0].Number != states.Block:
		found.broken = &audit.Break{What: audit.Missing, Block: states.Block}
	case blocks[0].Hash != states.Hash:
		found.broken = &audit.Break{What: audit.Altered, Block: states.Block}
	}
	return nil
}

// statement reads what a head says, whoever signed it.
func statement(token string) (states audit.Statement, err error) {
	refused := fault.Unfit("/head", "must be a head returned by AUDIT.VERIFY")
	parts := strings.Split(token, ".")
	const segments = 3
	if len(parts) != segments {
		return states, refused
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || strictjson.Decode(claims, &states) != nil || states.Block < 1 {
		return states, refused
	}
	return states, nil
}
