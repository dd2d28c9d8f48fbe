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
	KID          string     `json:"kid" doc:"Identifier of the key, as it stands in the header of tokens."`
	Algorithm    string     `json:"algorithm" doc:"Algorithm it signs with: EdDSA signs license files, another one the ID tokens of apps that chose it, and access tokens where algorithm names it." jsonschema:"enum=ES256,enum=RS256,enum=EdDSA"`
	State        string     `json:"state" doc:"Where it is in its life: tokens under an active or overlapping key hold." jsonschema:"enum=next,enum=active,enum=overlapping,enum=retired,enum=revoked"`
	CreatedAt    time.Time  `json:"created_at" doc:"When it was made."`
	OverlapUntil *time.Time `json:"overlap_until" doc:"Until when it is accepted after it was replaced; null when it was not."`
}

// ListResult is the result of JWT_KEY.LIST.
type ListResult struct {
	Algorithm signingkey.Algorithm `json:"algorithm" doc:"Algorithm of access tokens; an active key of another one signs ID tokens alone."`
	Items     []Key                `json:"items" doc:"The keys, newest first; retired and revoked ones for seven days."`
	Schedule  *Schedule            `json:"schedule" doc:"When keys rotate by themselves; null: never."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[command.None, ListResult]{
		Name:    "JWT_KEY.LIST",
		Summary: "List the signing keys that are next, active, overlapping, retired or revoked, and the rotation schedule.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
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
