package maildomains

import (
	"context"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/ports/outbound"
)

// ErrUnanswered is returned if DNS does not respond.
var ErrUnanswered = fault.Outside("DNS did not respond: try again later")

// Prover verifies claims by DNS.
type Prover struct {
	DNS          outbound.DNS
	Transactions outbound.Transactions
}

// Prove looks up the record of a claim, outside the transaction of the call. It fails
// with maildomain.ErrUnproved and ErrUnanswered.
func (p Prover) Prove(ctx context.Context, s maildomain.Snapshot) error {
	return p.Transactions.Pause(ctx, func() error {
		record := s.Record()
		shown, err := p.DNS.TXT(ctx, record.Name)
		switch {
		case err != nil:
			return ErrUnanswered.Because(err)
		case !record.In(shown):
			return maildomain.ErrUnproved
		}
		return nil
	})
}
