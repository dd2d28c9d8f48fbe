package view

import (
	"time"

	"gatehouse.internal/domain/passkey"
)

// Passkey is a passkey in results (specification section 4.6).
type Passkey struct {
	ID             passkey.ID `json:"id" doc:"Identifier of the passkey."`
	Name           string     `json:"name" doc:"What it is called."`
	WebAuthnID     string     `json:"webauthn_id" doc:"What the authenticator calls it, in base64url, as the browser knows it." jsonschema:"example=Y3JlZGVudGlhbA"`
	AAGUID         string     `json:"aaguid" doc:"Model of the authenticator; zeros where it is not told." jsonschema:"example=00000000-0000-0000-0000-000000000000"`
	Attachment     string     `json:"attachment" doc:"platform: built into a device; cross-platform: apart from it; empty: not told."`
	Transports     []string   `json:"transports" doc:"Ways to the authenticator, as far as the browser told them."`
	Attestation    string     `json:"attestation" doc:"Format of the attestation that is kept; none: there is none." jsonschema:"example=none"`
	BackupEligible bool       `json:"backup_eligible" doc:"Whether it may be copied between devices."`
	BackedUp       bool       `json:"backed_up" doc:"Whether it is copied, as it said last."`
	SecondFactor   bool       `json:"second_factor_only" doc:"Whether it only serves as a second factor: the authenticator did not verify you, or does not store the key so that a browser finds it."`
	CreatedAt      time.Time  `json:"created_at" doc:"When it was registered."`
	LastUsedAt     *time.Time `json:"last_used_at" doc:"Last login by it; null: never."`
}

// OfPasskey shows a passkey.
func OfPasskey(s passkey.Snapshot) Passkey {
	return Passkey{
		ID: s.ID, Name: string(s.Name), WebAuthnID: s.CredentialID, AAGUID: s.Record.AAGUID, Attachment: s.Record.Attachment,
		Transports: s.Record.Transports, Attestation: s.Record.Format, BackupEligible: s.Record.BackupEligible,
		BackedUp: s.Record.BackedUp, SecondFactor: !s.Record.SignsIn(), CreatedAt: s.CreatedAt, LastUsedAt: Time(s.LastUsedAt),
	}
}
