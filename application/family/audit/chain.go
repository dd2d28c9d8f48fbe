package audit

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
	"time"

	"gatehouse.internal/domain/audit"
)

// verifiedBlocks is how many blocks a call looks at, readAtOnce how many it reads together.
const (
	verifiedBlocks = 2000
	readAtOnce     = 20
)

// check walks the chain over a range; the block before it is where the walk begins.
func (s *Service) check(ctx context.Context, p VerifyParams) (checked int, broken *audit.Break, err error) {
	first, err := s.Chain.FirstSince(ctx, p.From)
	if err != nil || first == 0 {
		return 0, nil, err
	}
	hashes := map[int64]string{}
	before, err := s.blockBefore(ctx, first)
	if err != nil {
		return 0, nil, err
	}
	if before.Number != first-1 {
		return 0, &audit.Break{What: audit.Missing, Block: first - 1}, nil
	}
	from := first
	for next := first; ; next = before.Number + 1 {
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
			before = b
		}
		switch {
		case before.Number-from >= verifiedBlocks:
			return checked, nil, errWide
		case len(blocks) < readAtOnce:
			broken, err = s.checkHeads(ctx, from, before.Number, hashes)
			return checked, broken, err
		}
	}
}

// blockBefore is the block before another, or the first there is; the zero block before the first.
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

// checkHeads compares the chain with the heads that were signed. By the newest it
// is seen whether its end was cut off.
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
