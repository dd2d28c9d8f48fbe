package iprules

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/workspace"
)

// CreateParams are the parameters of IP_RULE.CREATE.
type CreateParams struct {
	CIDR      string        `json:"cidr" doc:"Range in CIDR notation, or a single address. Host bits are dropped, and mapped IPv4 addresses count as IPv4. An IPv4 range also covers its NAT64 and 6to4 forms." jsonschema:"minLength=2,maxLength=64,example=192.0.2.0/24"`
	Action    iprule.Action `json:"action" doc:"Action for addresses in the range. The narrowest rule that contains an address decides. Once a scope has an allow rule, addresses that no rule contains are denied."`
	Scope     iprule.Scope  `json:"scope,omitzero" doc:"Scope of the rule: the instance, which requires a superadmin, or the workspace. Defaults to the instance for a superadmin who names no org_id, else to the workspace." example:"-"`
	List      iprule.List   `json:"list,omitzero" doc:"Named list to put the range on, for use in flows. A rule on a list decides nothing by itself." example:"-"`
	Note      string        `json:"note,omitzero" doc:"Note on the purpose of the rule." jsonschema:"maxLength=500" example:"-"`
	ExpiresAt time.Time     `json:"expires_at,omitzero" doc:"When the rule expires. An expired rule is ignored. Omit for a rule that does not expire." example:"-"`
	OrgID     workspace.ID  `json:"org_id,omitzero" doc:"Workspace to act in. Defaults to the active workspace, or to the instance for a superadmin." example:"-"`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, Result]{
		Name:    "IP_RULE.CREATE",
		Summary: "Create a rule for an address range.",
		Description: "The rule allows or denies the range, or puts it on a named list that flows refer to. A scope has at most one rule for a range " +
			"and 10,000 rules in all.\n\n" +
			"A rule that would lock out the address you call from is refused.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{iprule.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (result Result, err error) {
			rule, err := s.wanted(call, p)
			if err != nil {
				return Result{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				return s.guarded(ctx, tx, call, rule.OrgID, func() error {
					result, err = s.make(ctx, tx, rule)
					return err
				})
			})
			return result, err
		},
	})
}

// wanted returns the rule that a call asks for.
func (s *Service) wanted(call command.Call, p CreateParams) (iprule.Snapshot, error) {
	org, err := scope(call.Caller, p.Scope, p.OrgID)
	if err != nil {
		return iprule.Snapshot{}, err
	}
	cidr, err := iprule.ParseCIDR("/cidr", p.CIDR)
	if err != nil {
		return iprule.Snapshot{}, err
	}
	rule := iprule.Snapshot{
		ID: iprule.NewID(s.IDs), OrgID: org, CIDR: cidr, Action: p.Action, List: p.List, Note: p.Note,
	}
	if !p.ExpiresAt.IsZero() {
		rule.ExpiresAt = p.ExpiresAt.UTC().Truncate(time.Microsecond)
	}
	return rule, nil
}

// make stores a rule, unless there are as many as may be.
func (s *Service) make(ctx context.Context, tx Repos, rule iprule.Snapshot) (Result, error) {
	made, err := iprule.Make(rule, s.now())
	if err != nil {
		return Result{}, err
	}
	count, err := tx.Rules.Count(ctx, rule.OrgID)
	if err != nil {
		return Result{}, err
	}
	if count >= iprule.MaxRules {
		return Result{}, iprule.ErrTooMany
	}
	return Result{Rule: show(made.Snapshot())}, tx.Rules.Save(ctx, made)
}
