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
	DurationDays     int                      `json:"duration_days" doc:"Days the license is valid. 0 means it never expires."`
	Starts           license.Start            `json:"starts" doc:"When the duration starts: when the license is issued, or when its first machine is activated." jsonschema:"enum=issue,enum=activation"`
	Seats            int                      `json:"seats" doc:"Maximum number of seats. 0 means unlimited."`
	MaxMachines      int                      `json:"max_machines" doc:"Maximum number of machines active at once. 0 means unlimited."`
	MachineBound     bool                     `json:"machine_bound" doc:"Whether the license is valid only on activated machines."`
	Floating         bool                     `json:"floating" doc:"Whether seats are floating, which means leased for a limited time, instead of assigned to named users."`
	OfflineDays      int                      `json:"offline_days" doc:"Days an offline license file stays valid. 0 means offline files are not allowed."`
	HeartbeatMinutes int                      `json:"heartbeat_minutes" doc:"Minutes without a heartbeat after which a machine lapses. 0 means never."`
	Features         feature.Values           `json:"features" doc:"Feature values that the license grants, by feature key."`
	Meters           map[string]license.Meter `json:"meters" doc:"Metered usage, by meter name."`
	OnExpiry         license.Expiry           `json:"on_expiry" doc:"Behavior after the license expires: deny makes it invalid, grace keeps it valid for grace_days, allow keeps it valid." jsonschema:"enum=deny,enum=grace,enum=allow"`
	GraceDays        int                      `json:"grace_days" doc:"Days the license stays valid after it expires, if on_expiry is grace."`
	TransfersPerYear int                      `json:"transfers_per_year" doc:"Transfers from one machine to another per year."`
	Overage          license.Overage          `json:"overage" doc:"How far machines and seats may exceed their limits: by a factor, or without limit." jsonschema:"enum=none,enum=1.25,enum=1.5,enum=unlimited"`
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
	ID        product.PolicyID `json:"id" doc:"ID of the policy."`
	ProductID product.ID       `json:"product_id,omitzero" doc:"Product the policy is for. Omitted if it is for any product of the workspace."`
	Name      string           `json:"name" doc:"Display name of the policy."`
	CreatedAt time.Time        `json:"created_at" doc:"Time at which the policy was created."`
	UpdatedAt time.Time        `json:"updated_at" doc:"Time at which the policy was last updated."`
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
	ID          license.ID       `json:"id" doc:"ID of the license."`
	OrgID       workspace.ID     `json:"org_id" doc:"Workspace that issued the license."`
	ProductID   product.ID       `json:"product_id" doc:"Product the license is for."`
	PolicyID    product.PolicyID `json:"policy_id,omitzero" doc:"License policy that set the terms. Omitted if the license has no policy."`
	UserID      user.ID          `json:"user_id,omitzero" doc:"Account that owns the license. Omitted if nobody or a workspace owns it."`
	OwnerOrgID  workspace.ID     `json:"owner_org_id,omitzero" doc:"Workspace that owns the license. Omitted if nobody or an account owns it."`
	Status      license.Status   `json:"status" doc:"Current status of the license." jsonschema:"enum=active,enum=suspended,enum=expired,enum=revoked"`
	Reason      string           `json:"reason" doc:"Reason for the suspension or revocation. May be empty."`
	Overrides   []string         `json:"overrides" doc:"Names of the terms that were set for this license alone. They stay when its policy changes."`
	ActivatedAt *time.Time       `json:"activated_at" doc:"Time at which the first machine was activated. Null if none was."`
	ExpiresAt   *time.Time       `json:"expires_at" doc:"Time at which the license expires. Null if it never expires, or starts with its first activation."`
	LastSeenAt  *time.Time       `json:"last_seen_at" doc:"Time of the last successful validation, accurate to a minute. Null if there was none."`
	Metadata    map[string]any   `json:"metadata_json" doc:"The issuer's own data. Empty when shown to the owner."`
	CreatedAt   time.Time        `json:"created_at" doc:"Time at which the license was issued."`
	UpdatedAt   time.Time        `json:"updated_at" doc:"Time at which the license was last updated."`
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
	ID          license.MachineID   `json:"id" doc:"ID of the machine."`
	LicenseID   license.ID          `json:"license_id" doc:"License that is activated on the machine."`
	Fingerprint license.Fingerprint `json:"machine" doc:"Fingerprint that identifies the machine."`
	Name        string              `json:"name" doc:"Display name of the machine. May be empty."`
	Platform    string              `json:"platform" doc:"Platform of the machine. May be empty."`
	Status      string              `json:"status" doc:"Whether the machine is active, or lapsed because it sent no heartbeat in time." jsonschema:"enum=active,enum=lapsed"`
	ActivatedAt time.Time           `json:"activated_at" doc:"Time at which the machine was activated."`
	LastSeen    time.Time           `json:"last_seen" doc:"Time of the machine's last heartbeat or activation."`
	AliveUntil  *time.Time          `json:"alive_until" doc:"Time until which the machine stays active without another heartbeat. Null if it never lapses."`
	Metadata    map[string]any      `json:"metadata_json" doc:"The program's own data."`
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
