package jwtkeys

import (
	"context"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/signingkey"
)

// Key is a signing key in results.
type Key struct {
	KID          string     `json:"kid" doc:"ID of the key, as in the header of tokens."`
	Algorithm    string     `json:"algorithm" doc:"Algorithm of the key. EdDSA keys sign license files. Other keys sign the ID tokens of apps that chose their algorithm, and access tokens if algorithm of the result names it." jsonschema:"enum=ES256,enum=RS256,enum=EdDSA"`
	State        string     `json:"state" doc:"State of the key. Tokens signed with an active or overlapping key are valid." jsonschema:"enum=next,enum=active,enum=overlapping,enum=retired,enum=revoked"`
	CreatedAt    time.Time  `json:"created_at" doc:"Time the key was created."`
	OverlapUntil *time.Time `json:"overlap_until" doc:"Time until which the key stays valid after it was replaced. Null if it was not replaced."`
}

// ListResult is the result of JWT_KEY.LIST.
type ListResult struct {
	Algorithm signingkey.Algorithm `json:"algorithm" doc:"Algorithm of access tokens. An active key with another algorithm signs only ID tokens."`
	Items     []Key                `json:"items" doc:"Signing keys, newest first. Retired and revoked keys are listed for seven days."`
	Schedule  *Schedule            `json:"schedule" doc:"Schedule of automatic rotation. Null if keys are not rotated automatically."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[command.None, ListResult]{
		Name:        "JWT_KEY.LIST",
		Summary:     "List the signing keys and the rotation schedule.",
		Description: "The list contains keys that are next, active, overlapping, retired or revoked.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(context.Context, command.Call, command.None) (ListResult, error) {
			ring, now := s.Instance.State().Keys.Ring, s.Clock.Now()
			result := ListResult{Algorithm: signingkey.Algorithm(s.Instance.State().Keys.Active().Algorithm()), Items: make([]Key, 0, len(ring.Keys)), Schedule: schedule(ring)}
			for _, key := range slices.Backward(ring.Keys) {
				result.Items = append(result.Items, Key{
					KID: key.KID, Algorithm: string(key.Algorithm), State: string(key.State(now)),
					CreatedAt: key.CreatedAt, OverlapUntil: view.Time(key.OverlapUntil),
				})
			}
			return result, nil
		},
	})
}
