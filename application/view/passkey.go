package view

import (
	"time"

	"gatehouse.internal/domain/passkey"
)

// Passkey is a passkey in results (specification section 4.6).
type Passkey struct {
	ID             passkey.ID `json:"id" doc:"ID of the passkey."`
	Name           string     `json:"name" doc:"Name of the passkey."`
	WebAuthnID     string     `json:"webauthn_id" doc:"Credential ID of the passkey in base64url, as the browser knows it." jsonschema:"example=Y3JlZGVudGlhbA"`
	AAGUID         string     `json:"aaguid" doc:"Model of the authenticator (AAGUID). All zeros if it is not disclosed." jsonschema:"example=00000000-0000-0000-0000-000000000000"`
	Attachment     string     `json:"attachment" doc:"Attachment of the authenticator. platform is built into a device, cross-platform is separate from it. Empty if it is not disclosed."`
	Transports     []string   `json:"transports" doc:"Transports to the authenticator, as far as the browser reported them."`
	Attestation    string     `json:"attestation" doc:"Format of the stored attestation. none if there is no attestation." jsonschema:"example=none"`
	BackupEligible bool       `json:"backup_eligible" doc:"Whether the passkey can be copied between devices."`
	BackedUp       bool       `json:"backed_up" doc:"Whether the passkey is backed up, as last reported."`
	SecondFactor   bool       `json:"second_factor_only" doc:"Whether the passkey works only as a second factor. This is so if the authenticator did not verify you, or does not store the key where a browser can find it."`
	CreatedAt      time.Time  `json:"created_at" doc:"When the passkey was registered."`
	LastUsedAt     *time.Time `json:"last_used_at" doc:"When the passkey was last used to sign in. Null if never."`
}

// OfPasskey shows a passkey.
func OfPasskey(s passkey.Snapshot) Passkey {
	return Passkey{
		ID: s.ID, Name: string(s.Name), WebAuthnID: s.CredentialID, AAGUID: s.Record.AAGUID, Attachment: s.Record.Attachment,
		Transports: s.Record.Transports, Attestation: s.Record.Format, BackupEligible: s.Record.BackupEligible,
		BackedUp: s.Record.BackedUp, SecondFactor: !s.Record.SignsIn(), CreatedAt: s.CreatedAt, LastUsedAt: Time(s.LastUsedAt),
	}
}
