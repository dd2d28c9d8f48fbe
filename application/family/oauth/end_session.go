package oauth

import (
	"context"
	"errors"

	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
)

// EndSessionParams are the parameters of OAUTH.END_SESSION.
type EndSessionParams struct {
	IDTokenHint           secret.String `json:"id_token_hint,omitzero" doc:"An ID token that the client has of the person, also one that has expired. From a browser in which nobody is signed in it ends the session that it names (sid)." jsonschema:"minLength=1,maxLength=16384" example:"-"`
	ClientID              string        `json:"client_id,omitzero" doc:"Slug of the app; absent with id_token_hint: that of the token." jsonschema:"minLength=1,maxLength=2048" example:"-"`
	PostLogoutRedirectURI string        `json:"post_logout_redirect_uri,omitzero" doc:"Where the person goes afterwards: one of the app's logout_urls, character by character." jsonschema:"minLength=1,maxLength=2048" example:"-"`
	State                 string        `json:"state,omitzero" doc:"Comes back with the redirect." jsonschema:"minLength=1,maxLength=2048" example:"-"`
}

func (p *EndSessionParams) logout() authorization.Logout {
	return authorization.Logout{Hint: p.IDTokenHint, ClientID: p.ClientID, RedirectURI: p.PostLogoutRedirectURI, State: p.State}
}

// EndSessionResult is the result of OAUTH.END_SESSION.
type EndSessionResult struct {
	RedirectTo   string  `json:"redirect_to,omitzero" doc:"Where the browser goes once nobody is signed in; absent where the client named no address."`
	Confirmation bool    `json:"confirmation_required,omitzero" doc:"The session goes on: nothing shows that its person wants this, so they are to be asked, and AUTH.LOGOUT ends it."`
	Client       *Client `json:"client,omitzero" doc:"Who asks, where that is known."`
}

func (s *Service) endSession() command.Definition {
	return command.Define(command.Spec[EndSessionParams, EndSessionResult]{
		Name:      "OAUTH.END_SESSION",
		Summary:   "End the session that the caller comes by, or for want of one that of id_token_hint, as a client asks of their browser (OpenID Connect RP-Initiated Logout 1.0), and say where the client wants them to go.",
		Access:    access.Optional().Unproved().Anywhere(),
		Effect:    command.Writes,
		Withdraws: true,
		Limits:    []limit.Spec{limit.PerMinute(limit.IP, 600)},
		EndsOwn: func(by access.Caller, p EndSessionParams) bool {
			return by.Kind == access.Person && !p.IDTokenHint.Empty()
		},
		Subject: func(context.Context, EndSessionParams) (command.Subject, error) { return command.Subject{}, nil },
		Emits:   []event.Kind{session.KindRevoked},
		Handle:  s.leave,
	})
}

func (s *Service) leave(ctx context.Context, call command.Call, p EndSessionParams) (EndSessionResult, error) {
	caller := call.Caller
	if caller.Authenticated() && caller.Kind != access.Person {
		return EndSessionResult{}, access.ErrInPerson
	}
	leaving, err := s.Authorization.Leave(ctx, p.logout())
	if err != nil {
		return EndSessionResult{}, err
	}
	left := EndSessionResult{RedirectTo: leaving.RedirectTo}
	if leaving.Client != nil {
		left.Client = clientAt(leaving.Client, p.PostLogoutRedirectURI)
	}
	ending := caller.Session
	switch {
	case !caller.Authenticated():
		ending = leaving.Session
	case !s.Authorization.Names(leaving, caller.User):
		left.Confirmation = true
		return left, nil
	}
	return left, s.endHinted(ctx, leaving, ending)
}

// endHinted ends a session if it belongs to the person whom the hint names. It does nothing if the
// session does not exist or belongs to somebody else.
func (s *Service) endHinted(ctx context.Context, by authorization.Leaving, ending session.ID) error {
	if ending == "" {
		return nil
	}
	err := s.Unit.Do(ctx, func(tx Repos) error {
		current, err := tx.Sessions.ByID(ctx, ending)
		if err != nil {
			return err
		}
		if current.Ended() || !s.Authorization.Names(by, current.Snapshot().UserID) {
			return nil
		}
		current.End(session.ByLogout, s.Clock.Now())
		return tx.Sessions.Save(ctx, current)
	})
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}
