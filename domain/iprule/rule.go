package iprule

import (
	"net/netip"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/workspace"
)

// MaxRules is how many rules the instance and each workspace may have.
const MaxRules = 10_000

// Errors of rules.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such IP rule")
	ErrTooMany  = fault.LimitReached("IP rule", MaxRules, "delete unused rules")
	ErrTaken    = fault.Unfit("/cidr", "already has a rule in this scope and list: change it with IP_RULE.UPDATE")
	ErrLocksOut = fault.New(fault.Validation, "this would block your own IP address, now or when other rules expire: allow your address first")
	ErrPast     = fault.Unfit("/expires_at", "must be in the future")
	// ErrDenied is returned for a call from a denied address.
	ErrDenied = fault.New(fault.Denied, "access from this IP address is not allowed")
	// ErrDeniedThere is returned for a call in a workspace from an address that it denies.
	ErrDeniedThere = fault.New(fault.Denied, "the workspace does not allow access from this IP address")
)

type idKind struct{}

func (idKind) Prefix() string { return "rul" }

// ID identifies a rule.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Snapshot is the stored state of a rule.
type Snapshot struct {
	ID ID `audit:"id"`
	// OrgID is the workspace that it is of; empty: the instance.
	OrgID  workspace.ID
	CIDR   netip.Prefix `audit:"cidr"`
	Action Action       `audit:"action"`
	// List is the list that it is on; empty: none, so it decides by itself.
	List      List      `audit:"list"`
	Note      string    `audit:"note"`
	Enabled   bool      `audit:"enabled"`
	ExpiresAt time.Time `audit:"expires_at"`
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Live reports whether the rule is switched on and has not expired.
func (s Snapshot) Live(now time.Time) bool {
	return s.Enabled && (s.ExpiresAt.IsZero() || now.Before(s.ExpiresAt))
}

// Scope returns the scope of the rule.
func (s Snapshot) Scope() Scope {
	if s.OrgID == "" {
		return OfInstance
	}
	return OfWorkspace
}

// Rule is one rule.
type Rule struct {
	aggregate.Root
	s Snapshot
}

// Make makes a rule that is switched on. It fails with ErrPast.
func Make(s Snapshot, now time.Time) (*Rule, error) {
	if !s.ExpiresAt.IsZero() && !s.ExpiresAt.After(now) {
		return nil, ErrPast
	}
	s.Enabled, s.CreatedAt, s.UpdatedAt = true, now, now
	r := &Rule{s: s}
	r.Track(&r.s)
	r.Raise(Created{RuleID: s.ID, OrgID: s.OrgID, Scope: s.Scope(), CIDR: s.CIDR.String(), Action: s.Action, List: s.List})
	return r, nil
}

// Restore returns the rule that was stored.
func Restore(s Snapshot, version int64) *Rule {
	r := &Rule{Root: aggregate.At(version), s: s}
	r.Track(&r.s)
	return r
}

// Snapshot returns the state to store.
func (r *Rule) Snapshot() Snapshot { return r.s }

// Change is a partial update of a rule; nil fields stay unchanged.
type Change struct {
	Action  *Action
	Note    *string
	Enabled *bool
	// ExpiresAt is the zero time for never.
	ExpiresAt *time.Time
}

// Update changes the rule. What stays the same raises nothing. It fails with ErrPast.
func (r *Rule) Update(c Change, now time.Time) error {
	if c.ExpiresAt != nil && !c.ExpiresAt.IsZero() && !c.ExpiresAt.After(now) {
		return ErrPast
	}
	var changed aggregate.Changes
	aggregate.Put(&changed, "action", &r.s.Action, c.Action)
	aggregate.Put(&changed, "note", &r.s.Note, c.Note)
	aggregate.Put(&changed, "enabled", &r.s.Enabled, c.Enabled)
	if c.ExpiresAt != nil && !r.s.ExpiresAt.Equal(*c.ExpiresAt) {
		r.s.ExpiresAt = *c.ExpiresAt
		changed.Note("expires_at", true)
	}
	if changed == nil {
		return nil
	}
	r.s.UpdatedAt = now
	r.Raise(Updated{RuleID: r.s.ID, OrgID: r.s.OrgID, CIDR: r.s.CIDR.String(), Action: r.s.Action, Enabled: r.s.Enabled, Changed: changed})
	return nil
}

// Delete ends the rule. It is for the store to remove it.
func (r *Rule) Delete() {
	r.Raise(Deleted{RuleID: r.s.ID, OrgID: r.s.OrgID, CIDR: r.s.CIDR.String(), Action: r.s.Action, List: r.s.List})
}
