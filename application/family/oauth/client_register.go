package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/registration"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/setting"
)

// registerPath is where a client reaches its registration, by its client_id.
const registerPath = "/oauth/register/"

// How many clients register in an hour: from one address, and over all callers.
const (
	registrationsByAddress = 20
	registrationsByAll     = 600
)

// Refusals of registrations (RFC 7591 section 3.2.2).
var (
	errRegistrationOff = fault.New(fault.Denied, "access_denied: client registration is disabled; ask an administrator to register the client with APP.REGISTER")
	errNoInitial       = fault.New(fault.Auth, "invalid_token: no initial access token; send an API key or an M2M token with the scope apps:write")
	errNotInitial      = fault.New(fault.Denied, "insufficient_scope: the credential cannot register apps; use one with the scope apps:write")
)

const clientRegisterDescription = "The setting `client_registration` decides who can register clients:\n\n" +
	"- `off`: nobody. Administrators register clients with APP.REGISTER.\n" +
	"- `authenticated`: callers with a credential that can register apps. The client belongs to the workspace of the credential.\n" +
	"- `open`: everybody. Nobody vouches for a client that was registered without a credential."

func (s *Service) clientRegister() command.Definition {
	return command.Define(command.Spec[registration.Metadata, RegisteredClient]{
		Name:        "OAUTH.CLIENT_REGISTER",
		Summary:     "Register an OAuth client dynamically (RFC 7591).",
		Description: clientRegisterDescription,
		Access:      access.Optional().Recent(),
		Effect:      command.Writes,
		Limits:      []limit.Spec{limit.PerHour(limit.IP, registrationsByAddress), limit.PerHour(limit.All, registrationsByAll)},
		Subject:     func(context.Context, registration.Metadata) (command.Subject, error) { return command.Subject{}, nil },
		Emits:       []event.Kind{app.KindRegistered, app.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p registration.Metadata) (RegisteredClient, error) {
			if err := s.mayRegister(call.Caller); err != nil {
				return RegisteredClient{}, err
			}
			sector, err := s.Registrations.Sector(ctx, string(p.SectorURI), call.DryRun)
			if err != nil {
				return RegisteredClient{}, err
			}
			wanted, err := s.registration(p, sector, call.Caller)
			if err != nil {
				return RegisteredClient{}, err
			}
			return s.registerClient(ctx, wanted)
		},
	})
}

// mayRegister fails if the caller may not register clients.
func (s *Service) mayRegister(caller access.Caller) error {
	mode := s.Instance.State().Settings.ClientRegistration
	switch {
	case mode == setting.RegistrationOff:
		return errRegistrationOff
	case !caller.Authenticated() && mode != setting.RegistrationOpen:
		return errNoInitial
	case caller.Authenticated() && (caller.Kind == access.Delegated || caller.Org == "" || !caller.May("apps:write")):
		return errNotInitial
	}
	return nil
}
