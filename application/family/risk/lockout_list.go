package risk

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
)

// The kinds of lockouts.
const (
	ofAccount = "account"
	ofIP      = "ip"
)

// LockoutListParams are the parameters of RISK.LOCKOUT_LIST.
type LockoutListParams struct {
	Kind string `json:"kind,omitzero" doc:"Accounts or addresses alone; absent: accounts first, then addresses." jsonschema:"enum=account,enum=ip"`
	page.Params
}

// Lockout is an account or address that is locked out.
type Lockout struct {
	Kind     string    `json:"kind" doc:"What is locked out: an account, for its password, for its second factors, or for both, or an address, for logins." jsonschema:"enum=account,enum=ip"`
	Subject  string    `json:"subject" doc:"Identifier of the account, or the address; IPv6 by its /64."`
	Failures int       `json:"failures" doc:"Of an account: failed logins and wrong second factors in the last day, counted together up to 1000. Of an address: logins that count against its limit."`
	Until    time.Time `json:"until" doc:"When the lock ends, of two locks the later one, or when the next login from the address would pass."`

	position string
}

func (s *Service) lockoutList() command.Definition {
	return command.Define(command.Spec[LockoutListParams, page.Of[Lockout]]{
		Name: "RISK.LOCKOUT_LIST",
		Summary: "List who is locked out now: accounts by wrong passwords or wrong codes of second factors, the one that is free last first, and addresses by the limit of logins, " +
			"the latest first. USER.UNLOCK lifts both locks of an account. Counters keep no addresses, so those are sought among the 1000 latest of failed logins.",
		Access: access.Superadmin(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, _ command.Call, p LockoutListParams) (page.Of[Lockout], error) {
			list := s.Cursors.List("RISK.LOCKOUT_LIST|"+p.Kind, p.Params)
			position := func(one Lockout) string { return one.position }
			same := func(one Lockout) Lockout { return one }
			return page.Read(list, position, same, func(after string, most int) ([]Lockout, error) {
				return s.lockedOut(ctx, p.Kind, after, most)
			})
		},
	})
}

// lockedOut returns at most so many behind a position, "" for the beginning.
func (s *Service) lockedOut(ctx context.Context, kind, position string, most int) ([]Lockout, error) {
	behind, now := readPosition(position), s.Clock.Now()
	var found []Lockout
	var err error
	if kind != ofIP && behind.address == "" {
		if found, err = s.accounts(ctx, behind.account, most, now); err != nil {
			return nil, err
		}
	}
	if kind == ofAccount || len(found) == most {
		return found, nil
	}
	addresses, err := s.addresses(ctx, behind.address, most-len(found), now)
	return append(found, addresses...), err
}
