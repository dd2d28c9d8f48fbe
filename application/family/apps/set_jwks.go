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
	AppID   app.ID         `json:"app_id" doc:"ID of the app. spa and native apps are public clients and cannot keep a private key."`
	JWKS    map[string]any `json:"jwks,omitzero" doc:"JWK Set (RFC 7517) of 1 to 20 public keys: EC P-256, Ed25519, or RSA of 2048 to 8192 bits. Each kid must be unique. Give every key a kid: of keys without one, only the first 3 are tried." example:"-"`
	JWKSURI app.CallURL    `json:"jwks_uri,omitzero" doc:"https URL where the app publishes its JWK Set. It must be reachable from the internet: addresses of this machine or of a private network are refused. In development, http URLs of this machine are accepted."`
}

const setJWKSDescription = "The app authenticates with these keys (private_key_jwt, RFC 7523) in place of a secret. Send `jwks`, or the URL where the app publishes its " +
	"keys as `jwks_uri`. Omit both to remove the keys.\n\n" +
	"To set keys, you must hold every permission granted to the app. The secrets of the app stay valid until you revoke them with APP.SECRET_REVOKE."

func (s *Service) setJWKS() command.Definition {
	return command.Define(command.Spec[SetJWKSParams, Result]{
		Name:        "APP.SET_JWKS",
		Summary:     "Set the public keys that an app authenticates with.",
		Description: setJWKSDescription,
		Access:      access.Holding(write).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{app.KindKeysSet},
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
