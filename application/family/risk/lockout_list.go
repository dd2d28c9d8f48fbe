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
	Kind string `json:"kind,omitzero" doc:"Kind of lockout to list. Defaults to accounts first, then addresses." jsonschema:"enum=account,enum=ip"`
	page.Params
}

// Lockout is an account or address that is locked out.
type Lockout struct {
	Kind     string    `json:"kind" doc:"Kind of lockout: an account, locked for its password, its second factors or both, or an IP address, locked for sign-ins." jsonschema:"enum=account,enum=ip"`
	Subject  string    `json:"subject" doc:"ID of the account, or the IP address. IPv6 addresses are grouped by /64."`
	Failures int       `json:"failures" doc:"For an account, failed sign-ins and wrong second factors in the last day, counted together up to 1,000. For an address, sign-ins that count against its limit."`
	Until    time.Time `json:"until" doc:"When the lock ends. With two locks, the later end. For an address, when the next sign-in would pass."`

	position string
}

func (s *Service) lockoutList() command.Definition {
	return command.Define(command.Spec[LockoutListParams, page.Of[Lockout]]{
		Name:    "RISK.LOCKOUT_LIST",
		Summary: "List accounts and addresses that are locked out.",
		Description: "- Accounts are locked by wrong passwords or wrong second-factor codes. The lock that ends last is listed first. USER.UNLOCK " +
			"lifts both locks of an account.\n" +
			"- Addresses are locked out by the limit on sign-ins, latest first. Counters store no addresses, so only those among the latest " +
			"1,000 failed sign-ins are found.",
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
