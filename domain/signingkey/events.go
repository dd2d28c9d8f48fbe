package signingkey

import "gatehouse.internal/domain/event"

// Kinds of events of signing keys.
const (
	KindRotated     event.Kind = "jwt_key.rotated"
	KindRevoked     event.Kind = "jwt_key.revoked"
	KindRetired     event.Kind = "jwt_key.retired"
	KindScheduleSet event.Kind = "jwt_key.schedule_set"
)

// Rotated is the content of jwt_key.rotated.
type Rotated struct {
	KID         string `json:"kid" doc:"ID of the key that signs from now on."`
	PreviousKID string `json:"previous_kid" doc:"ID of the key that signed before."`
	Algorithm   string `json:"algorithm" doc:"Algorithm of the new key." jsonschema:"enum=ES256,enum=RS256,enum=EdDSA"`
}

// WasRevoked is the content of jwt_key.revoked.
type WasRevoked struct {
	KID    string `json:"kid" doc:"ID of the revoked key."`
	Reason string `json:"reason,omitzero" doc:"Reason that the administrator gave."`
	NewKID string `json:"new_kid,omitzero" doc:"ID of the key that took over. Only if the revoked key was active."`
}

// WasRetired is the content of jwt_key.retired.
type WasRetired struct {
	KID string `json:"kid" doc:"ID of the removed key."`
}

// ScheduleSet is the content of jwt_key.schedule_set.
type ScheduleSet struct {
	EveryDays    int       `json:"every_days" doc:"Days between rotations. 0 if keys are not rotated automatically."`
	Algorithm    Algorithm `json:"algorithm" doc:"Algorithm of future keys."`
	OverlapHours int       `json:"overlap_hours" doc:"Hours the old key stays valid for verification."`
}

func (Rotated) Kind() event.Kind     { return KindRotated }
func (WasRevoked) Kind() event.Kind  { return KindRevoked }
func (WasRetired) Kind() event.Kind  { return KindRetired }
func (ScheduleSet) Kind() event.Kind { return KindScheduleSet }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{
		{Summary: "The signing key was rotated.", Example: Rotated{"0198c6a2", "0198b1f0", string(ES256)}},
		{Summary: "A signing key was revoked.", Example: WasRevoked{KID: "0198b1f0", Reason: "leaked"}},
		{Summary: "A signing key was removed, a week after its overlap ended.", Example: WasRetired{"0198b1f0"}},
		{Summary: "The schedule of key rotation was changed.", Example: ScheduleSet{90, ES256, 24}},
	}
}
