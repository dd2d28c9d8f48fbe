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
	IDTokenHint           secret.String `json:"id_token_hint,omitzero" doc:"ID token that the client holds for the person, which may have expired. If nobody is signed in in the browser, the session named in the token (sid) is ended." jsonschema:"minLength=1,maxLength=16384" example:"-"`
	ClientID              string        `json:"client_id,omitzero" doc:"The client_id of the app. Defaults to the client of id_token_hint." jsonschema:"minLength=1,maxLength=2048" example:"-"`
	PostLogoutRedirectURI string        `json:"post_logout_redirect_uri,omitzero" doc:"URL to send the person to afterwards. Must be one of the app's logout_urls, matched exactly." jsonschema:"minLength=1,maxLength=2048" example:"-"`
	State                 string        `json:"state,omitzero" doc:"Value returned with the redirect." jsonschema:"minLength=1,maxLength=2048" example:"-"`
}

func (p *EndSessionParams) logout() authorization.Logout {
	return authorization.Logout{Hint: p.IDTokenHint, ClientID: p.ClientID, RedirectURI: p.PostLogoutRedirectURI, State: p.State}
}

// EndSessionResult is the result of OAUTH.END_SESSION.
type EndSessionResult struct {
	RedirectTo   string  `json:"redirect_to,omitzero" doc:"URL to send the browser to once nobody is signed in. Absent if the client sent no URL."`
	Confirmation bool    `json:"confirmation_required,omitzero" doc:"Whether the person has to confirm. The session continues, because nothing shows that the person wants to end it. Ask the person, then end the session with AUTH.LOGOUT."`
	Client       *Client `json:"client,omitzero" doc:"Client that asks to end the session, if known."`
}

func (s *Service) endSession() command.Definition {
	return command.Define(command.Spec[EndSessionParams, EndSessionResult]{
		Name:    "OAUTH.END_SESSION",
		Summary: "End a person's session at the request of a client.",
		Description: "Implements OpenID Connect RP-Initiated Logout 1.0. A client sends the browser of a person to end the session there. If the browser has no " +
			"session, the session named in `id_token_hint` is ended. The result says where the client wants the person to go.",
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
func (s *Service) endHinted(ctx context.Context, by authorization.ValidatedLogout, ending session.ID) error {
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
