package maildomain

import (
	"encoding/base64"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

const (
	// MaxDomains is how many domains a workspace may claim.
	MaxDomains = 100
	// checkEvery is the interval of checks of a verified domain, and checkAgain that
	// after a failed lookup.
	checkEvery = 24 * time.Hour
	checkAgain = time.Hour
	// missedFor is how long the proof may be missing.
	missedFor = 7 * 24 * time.Hour
	// proofBytes is how long the random part of a proof is.
	proofBytes = 32
	// joining is the permission that must not be granted for an address alone.
	joining = "members:write"
)

// Errors of domains.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such domain")
	ErrClaimed  = fault.Unfit("/domain", "is already claimed by this workspace: see TEAM.DOMAIN_LIST")
	ErrTooMany  = fault.LimitReached("domain", MaxDomains, "remove unused domains")
	// ErrHeld is returned if another workspace has verified the domain.
	ErrHeld = fault.New(fault.Validation, "the domain is verified for another workspace: it must be removed there, or its DNS record missing for 7 days")
	// ErrUnproved is returned if DNS does not contain the record.
	ErrUnproved = fault.New(fault.Validation, "TXT record not found: publish the name and value from TEAM.DOMAIN_LIST without a CNAME, then try again once DNS shows it")
	// ErrMighty is returned for a role that allows its holders to invite others.
	ErrMighty = fault.Unfit("/role", "must not grant members:write or more: choose another role, or invite these people instead")
)

// Joinable reports whether a role that grants this may be had by an address alone.
func Joinable(granted access.Permissions) bool { return !granted.Cover(joining) }

// Rules are the rules for people with addresses at a verified domain.
type Rules struct {
	AutoJoin bool `audit:"auto_join"`
	// Role is the key of the role that they join with.
	Role string `audit:"role"`
	// RequireSSO is kept until there is single sign-on.
	RequireSSO bool `audit:"require_sso"`
}

// Snapshot is the stored state of a claimed domain.
type Snapshot struct {
	ID    ID `audit:"id"`
	OrgID workspace.ID
	Name  email.Domain `audit:"domain"`
	Proof string
	Rules
	CreatedAt time.Time
	// VerifiedAt is since when the domain is the workspace's; zero: it is not.
	VerifiedAt time.Time `audit:"verified_at"`
	// CheckedAt is when DNS last answered, CheckAt when it is asked again, and MissingSince
	// when it first did not show the proof of a verified domain any more.
	CheckedAt    time.Time
	CheckAt      time.Time
	MissingSince time.Time
}

// Verified reports whether the domain is the workspace's.
func (s Snapshot) Verified() bool { return !s.VerifiedAt.IsZero() }

// LostAt returns when a domain with a missing record loses its verification; zero if
// the record is not missing.
func (s Snapshot) LostAt() time.Time {
	if s.MissingSince.IsZero() {
		return time.Time{}
	}
	return s.MissingSince.Add(missedFor)
}

// NewProof makes the proof of a claim. It is published, and no secret.
func NewProof(random challenge.Source) string {
	return base64.RawURLEncoding.EncodeToString(random.Bytes(proofBytes))
}

// Domain is the claim of a workspace to a domain.
type Domain struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new claim.
type Draft struct {
	ID    ID
	OrgID workspace.ID
	Name  email.Domain
	Proof string
	Rules
}

// Claim claims a domain. It fails like Claimable.
func Claim(c Draft, now time.Time) (*Domain, error) {
	if err := Claimable(c.Name); err != nil {
		return nil, err
	}
	d := &Domain{s: Snapshot{ID: c.ID, OrgID: c.OrgID, Name: c.Name, Proof: c.Proof, Rules: c.Rules, CreatedAt: now}}
	d.Track(&d.s)
	d.Raise(Added{DomainID: c.ID, OrgID: c.OrgID, Domain: c.Name})
	return d, nil
}

// Restore returns the domain that was stored.
func Restore(s Snapshot, version int64) *Domain {
	d := &Domain{Root: aggregate.At(version), s: s}
	d.Track(&d.s)
	return d
}

// Snapshot returns the state to store.
func (d *Domain) Snapshot() Snapshot { return d.s }

// Found notes that DNS shows the proof.
func (d *Domain) Found(now time.Time) {
	d.s.CheckedAt, d.s.CheckAt, d.s.MissingSince = now, now.Add(checkEvery), time.Time{}
	if d.s.Verified() {
		return
	}
	d.s.VerifiedAt = now
	d.Raise(Verified{DomainID: d.s.ID, OrgID: d.s.OrgID, Domain: d.s.Name})
}

// Missed notes that DNS does not show the proof of a verified domain, which is lost in the
// end. It reports whether it was shown until now.
func (d *Domain) Missed(now time.Time) (first bool) {
	if !d.s.Verified() {
		return false
	}
	d.s.CheckedAt, d.s.CheckAt = now, now.Add(checkEvery)
	if d.s.MissingSince.IsZero() {
		d.s.MissingSince = now
		return true
	}
	if !now.Before(d.s.LostAt()) {
		d.s.VerifiedAt, d.s.MissingSince, d.s.CheckAt = time.Time{}, time.Time{}, time.Time{}
		d.Raise(Lost{DomainID: d.s.ID, OrgID: d.s.OrgID, Domain: d.s.Name})
	}
	return false
}

// Unanswered notes that DNS does not answer.
func (d *Domain) Unanswered(now time.Time) { d.s.CheckAt = now.Add(checkAgain) }

// Update changes the rules. Those that hold already change nothing.
func (d *Domain) Update(to Rules) {
	var changed []string
	note := func(field string, differs bool) {
		if differs {
			changed = append(changed, field)
		}
	}
	note("auto_join", to.AutoJoin != d.s.AutoJoin)
	note("role", to.Role != d.s.Role)
	note("require_sso", to.RequireSSO != d.s.RequireSSO)
	if changed == nil {
		return
	}
	d.s.Rules = to
	d.Raise(Updated{DomainID: d.s.ID, OrgID: d.s.OrgID, Changed: changed})
}

// Remove raises the event of a removal. The store deletes the domain.
func (d *Domain) Remove() {
	d.Raise(Removed{DomainID: d.s.ID, OrgID: d.s.OrgID, Domain: d.s.Name})
}
