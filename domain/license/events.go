package license

import (
	"slices"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of licenses and their policies.
const (
	KindIssued        event.Kind = "license.issued"
	KindUpdated       event.Kind = "license.updated"
	KindSuspended     event.Kind = "license.suspended"
	KindReinstated    event.Kind = "license.reinstated"
	KindRevoked       event.Kind = "license.revoked"
	KindKeyRotated    event.Kind = "license.key_rotated"
	KindValidated     event.Kind = "license.validated"
	KindFailed        event.Kind = "license.validation_failed"
	KindActivated     event.Kind = "machine.activated"
	KindDeactivated   event.Kind = "machine.deactivated"
	KindPolicyCreated event.Kind = "license_policy.created"
	KindPolicyUpdated event.Kind = "license_policy.updated"
	KindPolicyDeleted event.Kind = "license_policy.deleted"
)

// About are the fields of every event of a license.
type About struct {
	LicenseID  ID           `json:"license_id" doc:"ID of the license."`
	OrgID      workspace.ID `json:"org_id" doc:"Workspace that issued the license."`
	ProductID  product.ID   `json:"product_id" doc:"Product the license is for."`
	UserID     user.ID      `json:"user_id,omitzero" doc:"Account that owns the license. Omitted if nobody or a workspace owns it."`
	OwnerOrgID workspace.ID `json:"owner_org_id,omitzero" doc:"Workspace that owns the license. Omitted if nobody or an account owns it."`
}

// Verdict returns the event of validations with a code.
func Verdict(of Snapshot, machine MachineID, code Code, times int) event.Data {
	if code.Holds() {
		return Validated{about(of), machine, code, times}
	}
	return Failed{about(of), machine, code, times}
}

func about(s Snapshot) About {
	return About{LicenseID: s.ID, OrgID: s.OrgID, ProductID: s.ProductID, UserID: s.Owner.UserID, OwnerOrgID: s.Owner.OrgID}
}

// Issued is the content of license.issued.
type Issued struct {
	About
	PolicyID  product.PolicyID `json:"policy_id,omitzero" doc:"License policy that set the terms. Omitted if the license has no policy."`
	ExpiresAt time.Time        `json:"expires_at,omitzero" doc:"Time at which the license expires. Omitted if it never expires, or starts with its first activation."`
}

// Updated is the content of license.updated.
type Updated struct {
	About
	Changed []string `json:"changed" doc:"Names of the changed fields."`
}

// SuspendedEvent is the content of license.suspended.
type SuspendedEvent struct{ About }

// Reinstated is the content of license.reinstated.
type Reinstated struct{ About }

// RevokedEvent is the content of license.revoked.
type RevokedEvent struct{ About }

// KeyRotated is the content of license.key_rotated.
type KeyRotated struct {
	About
	OverlapUntil time.Time `json:"overlap_until" doc:"Time until which the old key stays valid."`
}

// Validated is the content of license.validated.
type Validated struct {
	About
	MachineID MachineID `json:"machine_id,omitzero" doc:"Machine that the validation named. Omitted if it named none, or one that is not activated."`
	Code      Code      `json:"code" doc:"Code of the last validation." jsonschema:"enum=valid,enum=grace"`
	Times     int       `json:"times" doc:"Number of validations since the last event for this license and machine. Each replica stores at most one event a minute."`
}

// Failed is the content of license.validation_failed.
type Failed struct {
	About
	MachineID MachineID `json:"machine_id,omitzero" doc:"Machine that the validation named. Omitted if it named none, or one that is not activated."`
	Code      Code      `json:"code" doc:"Code of the last validation." jsonschema:"example=expired"`
	Times     int       `json:"times" doc:"Number of failed validations since the last event for this license and machine. Each replica stores at most one event a minute."`
}

// MachineActivated is the content of machine.activated.
type MachineActivated struct {
	About
	MachineID MachineID `json:"machine_id" doc:"ID of the activated machine."`
	Platform  string    `json:"platform" doc:"Platform of the machine, as the program reported it. May be empty."`
}

// MachineDeactivated is the content of machine.deactivated.
type MachineDeactivated struct {
	About
	MachineID MachineID `json:"machine_id" doc:"ID of the deactivated machine."`
}

// PolicyCreated is the content of license_policy.created.
type PolicyCreated struct {
	PolicyID product.PolicyID `json:"policy_id" doc:"ID of the new policy."`
	OrgID    workspace.ID     `json:"org_id" doc:"Workspace of the policy."`
	Name     string           `json:"name" doc:"Name of the policy."`
}

// PolicyUpdated is the content of license_policy.updated.
type PolicyUpdated struct {
	PolicyID product.PolicyID `json:"policy_id" doc:"ID of the policy."`
	OrgID    workspace.ID     `json:"org_id" doc:"Workspace of the policy."`
	Name     string           `json:"name" doc:"Current name of the policy."`
	Changed  []string         `json:"changed" doc:"Names of the changed fields and terms."`
}

// PolicyDeleted is the content of license_policy.deleted.
type PolicyDeleted struct {
	PolicyID product.PolicyID `json:"policy_id" doc:"ID of the deleted policy."`
	OrgID    workspace.ID     `json:"org_id" doc:"Workspace of the policy."`
	Name     string           `json:"name" doc:"Name of the deleted policy."`
}

func (Issued) Kind() event.Kind             { return KindIssued }
func (Updated) Kind() event.Kind            { return KindUpdated }
func (SuspendedEvent) Kind() event.Kind     { return KindSuspended }
func (Reinstated) Kind() event.Kind         { return KindReinstated }
func (RevokedEvent) Kind() event.Kind       { return KindRevoked }
func (KeyRotated) Kind() event.Kind         { return KindKeyRotated }
func (Validated) Kind() event.Kind          { return KindValidated }
func (Failed) Kind() event.Kind             { return KindFailed }
func (MachineActivated) Kind() event.Kind   { return KindActivated }
func (MachineDeactivated) Kind() event.Kind { return KindDeactivated }
func (PolicyCreated) Kind() event.Kind      { return KindPolicyCreated }
func (PolicyUpdated) Kind() event.Kind      { return KindPolicyUpdated }
func (PolicyDeleted) Kind() event.Kind      { return KindPolicyDeleted }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		org     = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		policy  = product.PolicyID("lpo_01jd7x9k2mf3q8v5t0abcdefgh")
		name    = "Standard"
		machine = MachineID("mch_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	about := About{LicenseID: "lic_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: org, ProductID: "prd_01jd7x9k2mf3q8v5t0abcdefgh", UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgh"}
	until := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return append([]event.Definition{
		{Summary: "A license was issued.", Example: Issued{about, policy, until}},
		{Summary: "The terms or the owner of a license were changed.", Example: Updated{about, []string{"seats"}}},
		{Summary: "A license was suspended.", Example: SuspendedEvent{about}},
		{Summary: "A license was reinstated.", Example: Reinstated{about}},
		{Summary: "A license was revoked permanently.", Example: RevokedEvent{about}},
		{Summary: "The key of a license was replaced.", Example: KeyRotated{about, until}},
		{Summary: "A license passed validation.", Example: Validated{about, machine, Valid, 12}},
		{Summary: "A license failed validation.", Example: Failed{about, machine, IsExpired, 12}},
		{Summary: "A license was activated on a machine.", Example: MachineActivated{about, machine, "linux/amd64"}},
		{Summary: "A machine of a license was deactivated.", Example: MachineDeactivated{about, machine}},
		{Summary: "A license policy was created.", Example: PolicyCreated{policy, org, name}},
		{Summary: "The terms of a license policy were changed.", Example: PolicyUpdated{policy, org, name, []string{"seats"}}},
		{Summary: "An unused license policy was deleted.", Example: PolicyDeleted{policy, org, name}},
	}, slices.Concat(seatEvents(about), transferEvents(about, machine), endedEvents(about, machine))...)
}
