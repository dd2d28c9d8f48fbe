package passkey

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of passkeys.
const (
	KindRegistered event.Kind = "passkey.registered"
	KindUpdated    event.Kind = "passkey.updated"
	KindRevoked    event.Kind = "passkey.revoked"
)

// Registered is the content of passkey.registered.
type Registered struct {
	PasskeyID      ID      `json:"passkey_id" doc:"ID of the new passkey."`
	UserID         user.ID `json:"user_id" doc:"Owner of the passkey."`
	BackupEligible bool    `json:"backup_eligible" doc:"Whether the passkey can be copied between devices."`
}

// Updated is the content of passkey.updated.
type Updated struct {
	PasskeyID ID       `json:"passkey_id" doc:"ID of the passkey."`
	UserID    user.ID  `json:"user_id" doc:"Owner of the passkey."`
	Changed   []string `json:"changed" doc:"Names of the fields that changed."`
}

// WasRevoked is the content of passkey.revoked.
type WasRevoked struct {
	PasskeyID ID      `json:"passkey_id" doc:"ID of the deleted passkey."`
	UserID    user.ID `json:"user_id" doc:"Owner of the passkey."`
	Reason    string  `json:"reason" doc:"Reason: revoked (by the owner) or revoked_by_admin."`
}

func (Registered) Kind() event.Kind { return KindRegistered }
func (Updated) Kind() event.Kind    { return KindUpdated }
func (WasRevoked) Kind() event.Kind { return KindRevoked }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		passkey = ID("pky_01jd7x9k2mf3q8v5t0abcdefgh")
		person  = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "A passkey was registered.", Example: Registered{passkey, person, true}},
		{Summary: "A passkey was updated.", Example: Updated{passkey, person, []string{"name"}}},
		{Summary: "A passkey was deleted.", Example: WasRevoked{passkey, person, ByUser}},
	}
}
