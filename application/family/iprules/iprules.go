// Package iprules implements the family IP_RULE: rules about the addresses from which
// the instance and workspaces may be used, and address lists for flows.
package iprules

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/application/addresses"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// The permissions of the family.
const (
	reading = "ip_rules:read"
	writing = "ip_rules:write"
)

// errInstance is returned to callers who may not change the instance's rules.
var errInstance = fault.New(fault.Denied, "only superadmins can access IP rules of the instance")

// Repos holds the repositories of one unit of work.
type Repos struct {
	Rules ops.IPRules
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory ops.IPRuleDirectory
	Rules     *addresses.Rules
	Cursors   page.Cursors
	Clock     outbound.Clock
	IDs       outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.create(),
		s.list(),
		s.update(),
		s.delete(),
		s.check(),
	}
}

// Rule is an address rule in results.
type Rule struct {
	ID        iprule.ID     `json:"id" doc:"ID of the rule."`
	Scope     iprule.Scope  `json:"scope" doc:"Scope of the rule: the instance or a workspace."`
	OrgID     *workspace.ID `json:"org_id" doc:"Workspace of the rule. Null for a rule of the instance."`
	CIDR      string        `json:"cidr" doc:"Address range in CIDR notation."`
	Action    iprule.Action `json:"action" doc:"Action for addresses in the range that no narrower rule contains."`
	List      *iprule.List  `json:"list" doc:"Named list that the range is on. A rule on a list decides nothing by itself. Null if it is on none."`
	Note      string        `json:"note" doc:"Note on the purpose of the rule."`
	Enabled   bool          `json:"enabled" doc:"Whether the rule is enabled."`
	ExpiresAt *time.Time    `json:"expires_at" doc:"When the rule expires. An expired rule is ignored. Null if it does not expire."`
	CreatedAt time.Time     `json:"created_at" doc:"When the rule was created."`
	UpdatedAt time.Time     `json:"updated_at" doc:"When the rule was last changed."`
}

// Result is a rule after a change.
type Result struct {
	Rule Rule `json:"ip_rule" doc:"The rule after the change."`
}

func show(s iprule.Snapshot) Rule {
	shown := Rule{
		ID: s.ID, Scope: s.Scope(), CIDR: s.CIDR.String(), Action: s.Action, Note: s.Note, Enabled: s.Enabled,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	if s.OrgID != "" {
		shown.OrgID = &s.OrgID
	}
	if s.List != "" {
		shown.List = &s.List
	}
	if !s.ExpiresAt.IsZero() {
		shown.ExpiresAt = &s.ExpiresAt
	}
	return shown
}

// scope returns whose rules a call is about: those of the instance for a superadmin who names
// no workspace, else those of the workspace that the caller acts in.
func scope(caller access.Caller, asked iprule.Scope, named workspace.ID) (workspace.ID, error) {
	switch {
	case asked == iprule.OfInstance && !caller.Superadmin:
		return "", errInstance
	case asked == iprule.OfInstance && named != "":
		return "", fault.Unfit("/org_id", "cannot be combined with the scope instance")
	case asked == iprule.OfInstance, asked == "" && caller.Superadmin && named == "":
		return "", nil
	case caller.Org == "":
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

// change changes one rule that the caller may see, unless that locks the address out which
// they call from.
func (s *Service) change(ctx context.Context, call command.Call, id iprule.ID, do func(tx Repos, rule *iprule.Rule) error) error {
	return s.Unit.Do(ctx, func(tx Repos) error {
		rule, err := tx.Rules.ByID(ctx, id)
		if err != nil {
			return err
		}
		org := rule.Snapshot().OrgID
		if org != call.Caller.Org && !call.Caller.Superadmin {
			return iprule.ErrNotFound
		}
		return s.guarded(ctx, tx, call, org, func() error {
			// What was read before the lock may have changed.
			if rule, err = tx.Rules.ByID(ctx, id); err != nil {
				return err
			}
			return do(tx, rule)
		})
	})
}

// guarded makes a change of the rules of a scope, unless it locks its maker out.
func (s *Service) guarded(ctx context.Context, tx Repos, call command.Call, org workspace.ID, change func() error) error {
	if err := tx.Rules.Hold(ctx, org); err != nil {
		return err
	}
	before, err := tx.Rules.Deciding(ctx, org)
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	after, err := tx.Rules.Deciding(ctx, org)
	if err != nil {
		return err
	}
	from, _ := netip.ParseAddr(call.IP)
	if iprule.LocksOut(before, after, from, s.Clock.Now()) {
		return iprule.ErrLocksOut
	}
	return nil
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }
