package view

import (
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// LicenseTerms are the terms of licenses in results. A zero limit means unlimited.
type LicenseTerms struct {
	DurationDays     int                      `json:"duration_days" doc:"Days that a license holds; 0: for ever."`
	Starts           license.Start            `json:"starts" doc:"When the days begin." jsonschema:"enum=issue,enum=activation"`
	Seats            int                      `json:"seats" doc:"Seats that may be taken; 0: any number."`
	MaxMachines      int                      `json:"max_machines" doc:"Machines that may be active at once; 0: any number."`
	MachineBound     bool                     `json:"machine_bound" doc:"Whether it is valid on activated machines alone."`
	Floating         bool                     `json:"floating" doc:"Whether seats are leased for a while, and not given by name."`
	OfflineDays      int                      `json:"offline_days" doc:"Days that a license file holds; 0: there are none."`
	HeartbeatMinutes int                      `json:"heartbeat_minutes" doc:"Minutes after which a silent machine lapses; 0: none does."`
	Features         feature.Values           `json:"features" doc:"What it gives, by feature."`
	Meters           map[string]license.Meter `json:"meters" doc:"Uses that are counted, by the name of the meter."`
	OnExpiry         license.Expiry           `json:"on_expiry" doc:"What follows the last day: the end, days of grace, or nothing." jsonschema:"enum=deny,enum=grace,enum=allow"`
	GraceDays        int                      `json:"grace_days" doc:"Days of grace."`
	TransfersPerYear int                      `json:"transfers_per_year" doc:"Moves from one machine to another in a year."`
	Overage          license.Overage          `json:"overage" doc:"By how much machines and seats may exceed their limit." jsonschema:"enum=none,enum=1.25,enum=1.5,enum=unlimited"`
}

func terms(t license.Terms) LicenseTerms {
	shown := LicenseTerms(t)
	if shown.Features == nil {
		shown.Features = feature.Values{}
	}
	if shown.Meters == nil {
		shown.Meters = map[string]license.Meter{}
	}
	return shown
}

// LicensePolicy is a license policy in results.
type LicensePolicy struct {
	ID        product.PolicyID `json:"id" doc:"Identifier of the policy."`
	ProductID product.ID       `json:"product_id,omitzero" doc:"The product that it is for; absent: any of the workspace."`
	Name      string           `json:"name" doc:"Its name."`
	CreatedAt time.Time        `json:"created_at" doc:"When it was made."`
	UpdatedAt time.Time        `json:"updated_at" doc:"When it was changed last."`
	LicenseTerms
}

// OfLicensePolicy shows a license policy.
func OfLicensePolicy(s license.PolicySnapshot) LicensePolicy {
	return LicensePolicy{
		ID: s.ID, ProductID: s.ProductID, Name: string(s.Name), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, LicenseTerms: terms(s.Terms),
	}
}

// License is a license in results.
type License struct {
	ID          license.ID       `json:"id" doc:"Identifier of the license."`
	OrgID       workspace.ID     `json:"org_id" doc:"The workspace that issued it."`
	ProductID   product.ID       `json:"product_id" doc:"The product it is for."`
	PolicyID    product.PolicyID `json:"policy_id,omitzero" doc:"The policy its terms are from; absent: none."`
	UserID      user.ID          `json:"user_id,omitzero" doc:"The person whose it is; absent: nobody's, or a workspace's."`
	OwnerOrgID  workspace.ID     `json:"owner_org_id,omitzero" doc:"The workspace whose it is; absent: nobody's, or a person's."`
	Status      license.Status   `json:"status" doc:"Its state now." jsonschema:"enum=active,enum=suspended,enum=expired,enum=revoked"`
	Reason      string           `json:"reason" doc:"Why it was suspended or revoked, or empty."`
	Overrides   []string         `json:"overrides" doc:"Names of the terms that were set for it alone, and stay when its policy changes."`
	ActivatedAt *time.Time       `json:"activated_at" doc:"When its first machine was activated; null: not yet."`
	ExpiresAt   *time.Time       `json:"expires_at" doc:"When its days are over; null: never, or not before it is activated."`
	LastSeenAt  *time.Time       `json:"last_seen_at" doc:"When it was validated last, to a minute; null: never."`
	Metadata    map[string]any   `json:"metadata_json" doc:"The application's own data; empty for its owner."`
	CreatedAt   time.Time        `json:"created_at" doc:"When it was issued."`
	UpdatedAt   time.Time        `json:"updated_at" doc:"When it was changed last."`
	LicenseTerms
}

// OfLicense returns a license at a time.
func OfLicense(s license.Snapshot, now time.Time) License {
	shown := License{
		ID: s.ID, OrgID: s.OrgID, ProductID: s.ProductID, PolicyID: s.PolicyID, UserID: s.Owner.UserID, OwnerOrgID: s.Owner.OrgID,
		Status: s.Current(now), Reason: s.Reason, Overrides: append([]string{}, s.Overrides...), ActivatedAt: Time(s.ActivatedAt),
		ExpiresAt: Time(s.ExpiresAt), LastSeenAt: Time(s.LastSeenAt), Metadata: s.Metadata,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, LicenseTerms: terms(s.Terms),
	}
	if shown.Metadata == nil {
		shown.Metadata = map[string]any{}
	}
	return shown
}

// Machine is a machine of a license in results.
type Machine struct {
	ID          license.MachineID   `json:"id" doc:"Identifier of the machine."`
	LicenseID   license.ID          `json:"license_id" doc:"The license whose place it takes."`
	Fingerprint license.Fingerprint `json:"machine" doc:"What programs know it by."`
	Name        string              `json:"name" doc:"Name to show, or empty."`
	Platform    string              `json:"platform" doc:"What it runs, or empty."`
	Status      string              `json:"status" doc:"Whether it takes a place, or was silent for too long." jsonschema:"enum=active,enum=lapsed"`
	ActivatedAt time.Time           `json:"activated_at" doc:"When it was activated."`
	LastSeen    time.Time           `json:"last_seen" doc:"Its last sign of life."`
	AliveUntil  *time.Time          `json:"alive_until" doc:"Until when its place is taken; null: for good."`
	Metadata    map[string]any      `json:"metadata_json" doc:"The application's own data."`
}

// OfMachine returns a machine at a time.
func OfMachine(s license.MachineSnapshot, now time.Time) Machine {
	shown := Machine{
		ID: s.ID, LicenseID: s.LicenseID, Fingerprint: s.Fingerprint, Name: s.Name, Platform: s.Platform, Status: "active",
		ActivatedAt: s.ActivatedAt, LastSeen: s.BeatAt, AliveUntil: Time(s.LapsesAt), Metadata: s.Metadata,
	}
	if !s.Alive(now) {
		shown.Status = "lapsed"
	}
	if shown.Metadata == nil {
		shown.Metadata = map[string]any{}
	}
	return shown
}
