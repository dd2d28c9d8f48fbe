package relay

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/domain/audit"
)

const (
	// sealEvery is how often a replica looks whether a block is to be closed.
	sealEvery = 5 * time.Second
	// headEvery is how often the end of the chain is signed.
	headEvery = time.Hour
)

// Seal closes blocks over all that has waited for long enough, and signs the end of the chain
// when that is due. Two replicas may try: the number of a block is taken once.
func (r *Relay) Seal(ctx context.Context) error {
	for {
		tail, err := r.Chain.Tail(ctx)
		if err != nil {
			return err
		}
		now := r.Clock.Now()
		links, err := r.Chain.Waiting(ctx, tail.Last, audit.BlockSize, now.Add(-audit.BlockAge))
		if err != nil {
			return err
		}
		if len(links) == 0 {
			return r.sign(ctx, tail)
		}
		format, err := r.format(ctx, now)
		if err != nil {
			return err
		}
		if err := r.Chain.Add(ctx, audit.Close(tail, format, links, r.Random, now)); err != nil {
			return err
		}
	}
}

// format returns the newest format of blocks that every replica alive verifies: during an
// upgrade, those of the previous release would take newer blocks for altered ones.
func (r *Relay) format(ctx context.Context, now time.Time) (audit.Format, error) {
	alive, err := r.Replicas.List(ctx, now.Add(-upkeep.AliveFor))
	if err != nil {
		return 0, err
	}
	format := audit.Newest
	for _, one := range alive {
		format = min(format, one.AuditFormat)
	}
	return format, nil
}

// sign signs the current head of the chain with the signing key of tokens, so that
// anybody can verify it, and logs it: whoever rewrites the whole chain in the store
// cannot change the log of the process.
func (r *Relay) sign(ctx context.Context, tail audit.Block) error {
	last, err := r.Heads.LastHead(ctx)
	now := r.Clock.Now()
	if err != nil || tail.Number <= last.Number || now.Sub(last.SignedAt) < headEvery {
		return err
	}
	head := audit.Head{Number: tail.Number, Hash: tail.Hash, SignedAt: now.Truncate(time.Second)}
	claims, err := strictjson.Encode(audit.Statement{Issuer: r.Issuer, IssuedAt: head.SignedAt.Unix(), Block: head.Number, Hash: head.Hash})
	if err != nil {
		return fmt.Errorf("encode the end of the audit chain: %w", err)
	}
	signed, err := r.Instance.State().Keys.Active().Sign(audit.HeadType, claims)
	if err != nil {
		return fmt.Errorf("sign the end of the audit chain: %w", err)
	}
	head.Token = string(signed) // published: it proves what the log was, and lets nobody in
	r.Logger.InfoContext(ctx, "the end of the audit chain", "block", head.Number, "hash", head.Hash, "head", head.Token)
	return r.Heads.AddHead(ctx, head)
}

// sealOn closes blocks until the context ends.
func (r *Relay) sealOn(ctx context.Context) {
	look := time.NewTicker(sealEvery)
	defer look.Stop()
	for {
		if err := r.Seal(ctx); err != nil && ctx.Err() == nil {
			r.Logger.WarnContext(ctx, "failed to extend the audit chain", "cause", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}
