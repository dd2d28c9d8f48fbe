package feature

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errWhose = fault.New(fault.Validation, "provide either user_id or org_id")

// Target is the person or the workspace that an override is for: one of both.
type Target struct {
	UserID user.ID
	OrgID  workspace.ID
}

// Check fails unless it is one of both.
func (w Target) Check() error {
	if (w.UserID == "") == (w.OrgID == "") {
		return errWhose
	}
	return nil
}

// Name returns the identifier that is there.
func (w Target) Name() string { return w.UserID.String() + w.OrgID.String() }

// Override is a value assigned to a person or workspace.
type Override struct {
	// OrgID is the workspace that defines the feature.
	OrgID workspace.ID
	Key   Key
	Whose Target
	Value Value
	// ExpiresAt is when rules decide again; zero for never.
	ExpiresAt time.Time
	SetAt     time.Time
}

// Same reports whether another override has the same value and expiry.
func (o Override) Same(other Override) bool {
	return o.Key == other.Key && o.Whose == other.Whose && o.Value == other.Value && o.ExpiresAt.Equal(other.ExpiresAt)
}

// Set returns the event that it was set.
func (o Override) Set() OverrideSet {
	return OverrideSet{OrgID: o.OrgID, Key: o.Key, UserID: o.Whose.UserID, SubjectOrgID: o.Whose.OrgID, ExpiresAt: o.ExpiresAt}
}

// Deleted returns the event that it is gone.
func (o Override) Deleted() OverrideDeleted {
	return OverrideDeleted{OrgID: o.OrgID, Key: o.Key, UserID: o.Whose.UserID, SubjectOrgID: o.Whose.OrgID}
}
