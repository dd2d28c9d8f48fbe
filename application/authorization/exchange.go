package authorization

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// Refusals of exchanges (RFC 8693 section 2.2.2).
var (
	errExchanges   = fault.New(fault.Validation, "unauthorized_client: token exchange is not enabled for this app: set token_exchange with APP.UPDATE")
	errSubject     = fault.New(fault.Validation, "invalid_request: subject_token must be a valid access token that was issued to a client for a user")
	errSubjectOf   = fault.New(fault.Validation, "invalid_request: the app cannot exchange tokens of this client: both must be in the same workspace, and token_exchange_clients of the app must include the client")
	errActor       = fault.New(fault.Validation, "invalid_request: actor_token must be a valid access token of this client")
	errTokenTypes  = fault.New(fault.Validation, "invalid_request: subject_token_type, actor_token_type and requested_token_type must be "+oauth.AccessTokenType+"; send actor_token_type only with actor_token")
	errManyActors  = fault.New(fault.Validation, "invalid_request: the chain of actors in this token is too long")
	errOtherTarget = fault.New(fault.Validation, "invalid_target: subject_token is for a different audience: request the same audience")
	errWiderScope  = fault.New(fault.Validation, "invalid_scope: the exchange cannot add scopes: request only scopes that both subject_token and the app have")
)

// Exchange is a token exchange request (RFC 8693 section 2.1).
type Exchange struct {
	Client                 client.Credentials
	Subject, Actor         secret.String
	SubjectType, ActorType string
	// Requested is the type of token that is wanted; empty for an access token.
	Requested string
	// Targets are the audiences that were named, of which some may be empty.
	Targets []string
	Scopes  []string
}

// Exchange returns a token by which the client acts for the person of another one: for no more
// scopes, for the same audience, and for no longer. It ends with the grant of that one.
func (s *Service) Exchange(ctx context.Context, call command.Call, x Exchange) (Tokens, error) {
	by, err := s.Clients.Identify(ctx, &x.Client, call.Client)
	switch {
	case err != nil:
		return Tokens{}, err
	case by.App.Type.Public() || !by.App.TokenExchange:
		return Tokens{}, errExchanges
	case x.SubjectType != oauth.AccessTokenType, x.Requested != "" && x.Requested != oauth.AccessTokenType,
		x.Actor.Empty() != (x.ActorType == ""), x.ActorType != "" && x.ActorType != oauth.AccessTokenType:
		return Tokens{}, errTokenTypes
	}
	subject, behind, err := s.subject(ctx, x.Subject, by.App)
	if err != nil {
		return Tokens{}, err
	}
	scopes, audience, err := s.narrowed(ctx, by.App, subject, behind, x)
	if err != nil {
		return Tokens{}, err
	}
	actor, key, err := s.actor(ctx, x.Actor, by.App)
	switch {
	case err != nil:
		return Tokens{}, err
	case subject.Actor.Parties() >= oauth.MaxActors:
		return Tokens{}, errManyActors
	}
	if err := call.Enter(ctx, behind.Grant.OrgID); err != nil {
		return Tokens{}, err
	}
	if key == "" && subject.Client == by.App.Slug {
		key = subject.JKT
	}
	jkt, err := s.bound(ctx, call, key)
	switch {
	case err != nil:
		return Tokens{}, err
	case jkt == "" && (subject.JKT != "" || by.App.BindsTokens()):
		return Tokens{}, dpop.ErrAbsent
	}
	going, err := s.goingOn(ctx, call, behind)
	if err != nil {
		return Tokens{}, err
	}
	return s.exchanged(ctx, exchangeRequest{by: by.App, behind: behind, going: going, subject: subject, actor: &token.Actor{Subject: actor, Actor: subject.Actor}, scopes: scopes, audience: audience, jkt: jkt})
}

// goingOn returns the decision about a grant whose token is exchanged, which is that about a
// refresh.
func (s *Service) goingOn(ctx context.Context, call command.Call, of *outbound.GrantIdentity) (*login.GoingGrant, error) {
	standing, err := s.Books.Standing(ctx, of.Held, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	return s.Login.ContinueGrant(ctx, call, of, standing)
}

// subject returns the subject token, with the state of its grant or session.
func (s *Service) subject(ctx context.Context, text secret.String, by app.Snapshot) (token.VerifiedToken, *outbound.GrantIdentity, error) {
	found, err := s.presented(ctx, text, errSubject)
	switch {
	case err != nil:
		return token.VerifiedToken{}, nil, err
	case !found.Delegated():
		return token.VerifiedToken{}, nil, errSubject
	}
	if err := s.exchangeable(ctx, found.Client, by); err != nil {
		return token.VerifiedToken{}, nil, err
	}
	answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{Grant: oauth.GrantID(found.Grant)})
	if err != nil {
		return token.VerifiedToken{}, nil, err
	}
	if g := answer.Grant; g.Failing(s.Clock.Now()) != 0 || g.Client != found.Client {
		return token.VerifiedToken{}, nil, errSubject
	}
	return found, answer.Grant, nil
}

// exchangeable fails unless an app may exchange the tokens of a client. Listing the
// client does not suffice: everybody may list any client, and could free stolen tokens
// from the key they are bound to.
func (s *Service) exchangeable(ctx context.Context, client string, by app.Snapshot) error {
	switch {
	case !by.Exchanges(client):
		return errSubjectOf
	case client == by.Slug:
		return nil
	}
	of, err := s.Apps.BySlug(ctx, client, "")
	if errors.Is(err, app.ErrNotFound) || err == nil && of.App.OrgID != by.OrgID {
		return errSubjectOf
	}
	return err
}

// presented verifies a token sent as a parameter. It fails with refused if the token is
// invalid.
func (s *Service) presented(ctx context.Context, text secret.String, refused error) (token.VerifiedToken, error) {
	found, err := s.Access.Inspect(ctx, text.Reveal(), s.Access.Refresh(s.Admission))
	if errors.Is(err, token.ErrInvalid) || errors.Is(err, token.ErrExpired) {
		return token.VerifiedToken{}, refused
	}
	return found, err
}

// actor returns the actor of the new token, and the key to prove, if any: the subject
// of a token of the client, or the client.
func (s *Service) actor(ctx context.Context, text secret.String, by app.Snapshot) (name, key string, err error) {
	if text.Empty() {
		return by.Slug, "", nil
	}
	found, err := s.presented(ctx, text, errActor)
	switch {
	case err != nil:
		return "", "", err
	case found.Client != by.Slug:
		return "", "", errActor
	}
	ask := outbound.AdmissionAsk{Token: found.ID}
	if found.Delegated() {
		ask = outbound.AdmissionAsk{Grant: oauth.GrantID(found.Grant)}
	}
	answer, err := s.Admission.Admit(ctx, ask)
	if err != nil {
		return "", "", err
	}
	now := s.Clock.Now()
	holds := answer.Token.Failing(now) == 0
	if found.Delegated() {
		holds = answer.Grant.Failing(now) == 0 && answer.Grant.Grant.AppID == by.ID
	}
	if !holds {
		return "", "", errActor
	}
	return found.Subject, found.JKT, nil
}

// narrowed returns the scopes of the new token, and the owner of its audience.
func (s *Service) narrowed(
	ctx context.Context, by app.Snapshot, subject token.VerifiedToken, behind *outbound.GrantIdentity, x Exchange,
) ([]string, *resource.Audience, error) {
	target := s.Audiences.Target(subject.Audience)
	if slices.ContainsFunc(x.Targets, func(asked string) bool { return asked != "" && s.Audiences.Target(asked) != target }) {
		return nil, nil, errOtherTarget
	}
	found, err := s.Apps.BySlug(ctx, by.Slug, target)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Audiences.Admit(ctx, target, found.Audience, found.App); err != nil {
		return nil, nil, err
	}
	held := behind.Remaining(strings.Fields(subject.Scope))
	asked := x.Scopes
	if len(asked) == 0 {
		asked = held
	}
	if slices.ContainsFunc(asked, func(scope string) bool { return !slices.Contains(held, scope) }) {
		return nil, nil, errWiderScope
	}
	left := scopesOf(found, asked, target != "")
	if len(left) < len(x.Scopes) || len(left) == 0 && len(held) > 0 {
		return nil, nil, errWiderScope
	}
	return left, found.Audience, nil
}

// exchangeRequest is an exchange that is let through.
type exchangeRequest struct {
	by      app.Snapshot
	behind  *outbound.GrantIdentity
	going   *login.GoingGrant
	subject token.VerifiedToken
	actor   *token.Actor
	scopes  []string
	jkt     string
	// audience is the owner of the token's audience; nil for this service.
	audience *resource.Audience
}

// exchanged stores the grant of the new token, and signs that.
func (s *Service) exchanged(ctx context.Context, e exchangeRequest) (Tokens, error) {
	id, now := oauth.NewGrantID(s.IDs), s.Clock.Now()
	life := s.Instance.State().Settings.AccessTokenLife()
	if e.by.AccessTTL > 0 {
		life = e.by.AccessTTL
	}
	life = min(e.audience.Life(life), time.Unix(e.subject.Expiry, 0).Sub(now)).Truncate(time.Second)
	to := e.behind.Grant.Authorization
	to.AppID, to.Subject, to.Scopes, to.JKT, to.Nonce, to.Claims = e.by.ID, e.subject.Subject, e.scopes, e.jkt, "", ""
	to.Met, to.OwnerMet = e.going.Met, e.going.OwnerMet
	if err := s.Unit.Do(ctx, func(tx Repos) error {
		return tx.Grants.Save(ctx, oauth.Exchange(id, e.behind.Grant.ID, to, now.Add(life), now))
	}); err != nil {
		return Tokens{}, err
	}
	if err := live.Keep(ctx, e.going.Runs); err != nil {
		return Tokens{}, err
	}
	claims := accessClaims{
		Issuer: s.Access.Issuer, Subject: to.Subject, Audience: e.subject.Audience, Expiry: now.Add(life).Unix(), IssuedAt: now.Unix(), ID: s.IDs.UUID(),
		Client: e.by.Slug, Scope: strings.Join(e.scopes, " "), AuthTime: to.AuthTime.Unix(), ACR: to.ACR, AMR: to.AMR, Grant: id.String(), Actor: e.actor,
	}
	made := Tokens{Type: "Bearer", ExpiresIn: life, Scopes: e.scopes}
	if e.jkt != "" {
		claims.Confirmation, made.Type = &token.Confirmation{JKT: e.jkt}, "DPoP"
	}
	var err error
	made.Access, err = signed(s.Instance.State().Keys.Active(), "at+jwt", claims)
	return made, err
}
