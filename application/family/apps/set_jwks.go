package apps

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
)

// SetJWKSParams are the parameters of APP.SET_JWKS.
type SetJWKSParams struct {
	AppID   app.ID         `json:"app_id" doc:"The app; spa and native are public clients and can keep no private key."`
	JWKS    map[string]any `json:"jwks,omitzero" doc:"A JWK Set (RFC 7517) of 1 to 20 public keys: EC P-256, Ed25519, or RSA of 2048 to 8192 bits, each kid once. Give them kids: of those without, only the first 3 are tried." example:"-"`
	JWKSURI app.CallURL    `json:"jwks_uri,omitzero" doc:"https address where the app publishes such a set; it must be reachable from the internet: an address of this machine or of a private network is refused. In development, http addresses of this machine are accepted."`
}

func (s *Service) setJWKS() command.Definition {
	return command.Define(command.Spec[SetJWKSParams, Result]{
		Name: "APP.SET_JWKS",
		Summary: "Set the public keys that an app proves itself with (private_key_jwt, RFC 7523) in place of a secret, or where it publishes them; " +
			"neither removes them. Needs every permission that the app was granted. Its secrets stay good until APP.SECRET_REVOKE.",
		Access: access.Holding(write).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{app.KindKeysSet},
		Handle: func(ctx context.Context, call command.Call, p SetJWKSParams) (Result, error) {
			set, err := s.Registrations.Source(p.JWKS, string(p.JWKSURI))
			if err != nil {
				return Result{}, err
			}
			after, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				return setKeys(call.Caller, a, set, string(p.JWKSURI), s.Clock.Now())
			})
			if err != nil {
				return Result{}, err
			}
			return Result{App: view.OfApp(after)}, nil
		},
	})
}

// setKeys replaces the keys of an app by some that the caller may give it.
func setKeys(caller access.Caller, a *app.App, set, uri string, now time.Time) error {
	if set+uri != "" {
		if err := impersonable(caller, a); err != nil {
			return err
		}
	}
	return a.SetKeys(set, uri, now)
}
