package dpop

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/event"
)

// defaultHours is how long a binding lives when nothing is said.
const defaultHours = 720

// RegisterParams are the parameters of DPOP.REGISTER.
type RegisterParams struct {
	PublicJWK JWK       `json:"public_jwk" doc:"Public key as JWK (RFC 7517): EC P-256, OKP Ed25519, or RSA of 2048 to 8192 bits. Private keys are refused."`
	TTLHours  int       `json:"ttl_hours,omitzero" doc:"Hours during which tokens can be bound to the key. Defaults to 720." jsonschema:"minimum=1,maximum=8760,default=720"`
	Name      dpop.Name `json:"name,omitzero" doc:"Name of the key."`
}

// RegisterResult is the result of DPOP.REGISTER.
type RegisterResult struct {
	Binding Binding `json:"binding" doc:"The registered key."`
}

func (s *Service) register() command.Definition {
	return command.Define(command.Spec[RegisterParams, RegisterResult]{
		Name:    "DPOP.REGISTER",
		Summary: "Register a public key for DPoP.",
		Description: "The key is bound to the caller: a user with a session, or an app. M2M.TOKEN can then bind tokens to the key by the ID of the binding.\n\n" +
			"You can have at most 50 active bindings, and register each key only once.",
		Access: access.Anybody().But(access.Key).Unscoped(),
		Effect: command.Writes,
		Emits:  []event.Kind{dpop.KindRegistered},
		Handle: func(ctx context.Context, call command.Call, p RegisterParams) (RegisterResult, error) {
			key, err := s.read(p.PublicJWK)
			if err != nil {
				return RegisterResult{}, err
			}
			if p.TTLHours == 0 {
				p.TTLHours = defaultHours
			}
			wanted := dpop.Registration{
				ID: dpop.NewID(s.IDs), Owner: ownerOf(call.Caller), Org: call.Caller.Org,
				Thumbprint: key.Thumbprint, PublicJWK: key.JWK, Name: p.Name,
				Life: time.Duration(p.TTLHours) * time.Hour,
			}
			stored, err := s.store(ctx, wanted)
			if err != nil {
				return RegisterResult{}, err
			}
			shown, err := show(stored, stored.CreatedAt)
			return RegisterResult{Binding: shown}, err
		},
	})
}

func (s *Service) store(ctx context.Context, wanted dpop.Registration) (dpop.Snapshot, error) {
	var stored dpop.Snapshot
	err := s.Unit.Do(ctx, func(tx Repos) error {
		now := s.Clock.Now()
		held, err := tx.Bindings.Held(ctx, wanted.Owner, now)
		if err != nil {
			return err
		}
		made, err := dpop.Register(wanted, held, now)
		if err != nil {
			return err
		}
		stored = made.Snapshot()
		return tx.Bindings.Save(ctx, made)
	})
	return stored, err
}
