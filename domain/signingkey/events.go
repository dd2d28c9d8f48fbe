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
	KID         string `json:"kid" doc:"The key that signs from now on."`
	PreviousKID string `json:"previous_kid" doc:"The key that signed before."`
	Algorithm   string `json:"algorithm" doc:"Algorithm of the new key." jsonschema:"enum=ES256,enum=RS256,enum=EdDSA"`
}

// WasRevoked is the content of jwt_key.revoked.
type WasRevoked struct {
	KID    string `json:"kid" doc:"The key that was thrown out."`
	Reason string `json:"reason,omitzero" doc:"Why, in the administrator's words."`
	NewKID string `json:"new_kid,omitzero" doc:"The key that took over, when the active one was revoked."`
}

// WasRetired is the content of jwt_key.retired.
type WasRetired struct {
	KID string `json:"kid" doc:"The key that is gone."`
}

// ScheduleSet is the content of jwt_key.schedule_set.
type ScheduleSet struct {
	EveryDays    int       `json:"every_days" doc:"Days between rotations; 0: never by itself."`
	Algorithm    Algorithm `json:"algorithm" doc:"Algorithm of the keys to come."`
	OverlapHours int       `json:"overlap_hours" doc:"Hours the old key stays accepted."`
}

func (Rotated) Kind() event.Kind     { return KindRotated }
func (WasRevoked) Kind() event.Kind  { return KindRevoked }
func (WasRetired) Kind() event.Kind  { return KindRetired }
func (ScheduleSet) Kind() event.Kind { return KindScheduleSet }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{
		{Summary: "Another key signs tokens.", Example: Rotated{"0198c6a2", "0198b1f0", string(ES256)}},
		{Summary: "A signing key was thrown out.", Example: WasRevoked{KID: "0198b1f0", Reason: "leaked"}},
		{Summary: "A signing key whose overlap ended a week ago was forgotten.", Example: WasRetired{"0198b1f0"}},
		{Summary: "The schedule of key rotation changed.", Example: ScheduleSet{90, ES256, 24}},
	}
}
