package authorization

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/ports/outbound"
)

// Errors that stay on our side, since it is not proved where an answer may go.
var (
	errClient   = fault.New(fault.NotFound, "invalid_request: unknown or disabled client: check client_id")
	errRedirect = fault.New(fault.Validation, "invalid_request: redirect_uri must exactly match a redirect URI that the client registered")
	errWaiting  = fault.New(fault.NotFound, "invalid_request: the request was already answered, has expired or belongs to another client: start again in the app")
	errPerson   = fault.New(fault.Denied, "only a signed-in user can authorize clients: send the access token of a session")
)

// ValidatedRequest is a validated request with its client and redirect address.
type ValidatedRequest struct {
	pendingRequest

	Client  outbound.Client
	Address string
	// Scopes are the permitted scopes of the request, and those implied by its claims.
	Scopes []string

	// beside are the scopes implied by claims only.
	beside []string
	wants  loginRequirements
	unfit  *oauth.Refusal
	// agreed is the stored consent if it covers the request; unasked reports whether no
	// consent is needed.
	agreed  *oauth.ConsentSnapshot
	unasked bool
}

// Outcome is the result of a request: a redirect address, or a step to complete first.
type Outcome struct {
	RedirectTo string
	// Form reports whether the answer is to be posted (response_mode form_post).
	Form bool
	// Login and Consent report which step to complete first, before the request at
	// RequestURI continues.
	Login, Consent bool
	// Account reports whether the consent page only asks for the account.
	Account    bool
	RequestURI string
	Asked      *ValidatedRequest
}

// Push keeps a request for a client that has proved itself, and returns its request_uri. A DPoP
// proof binds the code to its key (RFC 9449 section 10.1).
func (s *Service) Push(ctx context.Context, call command.Call, by outbound.Client, sent oauth.Request) (string, error) {
	sent.Pushed = true
	w := pendingRequest{Request: sent}
	if err := s.unwrap(ctx, &w); err != nil {
		return "", err
	}
	asked, err := s.judge(ctx, w, &by)
	if err == nil {
		err = asked.refused()
	}
	if refusal := oauth.RefusalOf(err); refusal != nil {
		return "", fault.New(fault.Validation, refusal.Error())
	}
	if err != nil {
		return "", err
	}
	if call.Proof != "" {
		if w.JKT, err = s.bound(ctx, call, w.JKT); err != nil {
			return "", err
		}
	}
	return s.keep(ctx, w, "")
}

// Open processes an authorization request of a caller. It fails if the client or the
// redirect address is invalid.
func (s *Service) Open(ctx context.Context, call command.Call, sent oauth.Request, requestURI string) (Outcome, error) {
	caller := call.Caller
	if caller.Authenticated() && caller.Kind != access.Person {
		return Outcome{}, errPerson
	}
	w, err := s.comes(ctx, sent, requestURI)
	if err != nil {
		return Outcome{}, err
	}
	w.Malformed = sent.Malformed
	asked, err := s.judge(ctx, w, nil)
	if err != nil {
		return Outcome{}, err
	}
	outcome, err := s.proceed(ctx, call, asked)
	if refusal := oauth.RefusalOf(err); refusal != nil {
		return asked.answer(s.Access.Issuer, "error", refusal.Code, "error_description", refusal.Reason), nil
	}
	return outcome, err
}

// judge determines the client and the redirect address; known is the client, if known.
func (s *Service) judge(ctx context.Context, w pendingRequest, known *outbound.Client) (*ValidatedRequest, error) {
	target := s.Audiences.Target(w.Resource)
	found, err := s.Apps.BySlug(ctx, w.ClientID, target)
	switch {
	case errors.Is(err, app.ErrNotFound):
		return nil, errClient
	case err != nil:
		return nil, fmt.Errorf("look the client up: %w", err)
	case known != nil && known.App.ID != found.App.ID:
		return nil, errClient
	case !s.leads(found):
		return nil, errClient
	}
	address, ok := oauth.Redirectable(found.App, w.RedirectURI)
	if !ok {
		return nil, errRedirect
	}
	asked := &ValidatedRequest{pendingRequest: w, Client: found, Address: address}
	asked.AnswerByObject()
	if asked.wants, asked.unfit = wants(&asked.Request); asked.unfit == nil {
		asked.unfit = s.applyIDTokenHint(asked)
	}
	if asked.unfit != nil {
		return asked, nil
	}
	if err := s.Audiences.AdmitResource(ctx, target, found.Audience, found.App); err != nil {
		if !unfit(err) {
			return nil, err
		}
		asked.Scopes = nil
		asked.unfit = &oauth.Refusal{Code: oauth.InvalidTarget, Reason: "the client cannot request tokens for this resource"}
		if errors.Is(err, audience.ErrNoURI) {
			asked.unfit.Reason = audience.NoURI
		}
		return asked, nil
	}
	asked.Scopes = scopesOf(found, asked.pendingRequest.Scopes(), target != "")
	for _, scope := range asked.wants.named.Scopes() {
		if !slices.Contains(asked.Scopes, scope) {
			asked.beside = append(asked.beside, scope)
		}
	}
	asked.Scopes = append(asked.Scopes, asked.beside...)
	return asked, nil
}

// scopesOf returns those of scopes that a client may have; others are left out, as RFC 6749
// section 3.3 allows.
func scopesOf(of outbound.Client, asked []string, other bool) []string {
	allowed := of.Audience.Remaining(of.App, asked)
	var left []string
	for _, scope := range asked {
		switch {
		case oauth.IsClaimScope(scope):
			left = append(left, scope)
		case slices.Contains(allowed, scope) && (other || access.IsOwn(scope)):
			left = append(left, scope)
		}
	}
	return left
}

// refused returns the error to send to the client.
func (a *ValidatedRequest) refused() error {
	if a.Unread != nil {
		return a.Unread
	}
	if refusal := a.Check(a.Client.App); refusal != nil {
		return refusal
	}
	switch {
	case !a.Pushed && a.Client.App.PushesOnly():
		return &oauth.Refusal{Code: oauth.InvalidRequest, Reason: "the client must use pushed authorization requests (RFC 9126)"}
	case a.unfit != nil:
		return a.unfit
	case a.wants.hopeless():
		return errWeakLogin
	case len(a.Scopes) == 0 && a.Scope != "":
		return &oauth.Refusal{Code: oauth.InvalidScope, Reason: "the client is not granted any of the requested scopes"}
	}
	return nil
}

// answer is the way back to the client.
func (a *ValidatedRequest) answer(issuer string, parameters ...string) Outcome {
	return Outcome{RedirectTo: oauth.Answer(a.Address, issuer, a.State, parameters...), Form: a.ResponseMode == oauth.ByForm, Asked: a}
}

// proceed continues with a request whose redirect address is valid.
func (s *Service) proceed(ctx context.Context, call command.Call, a *ValidatedRequest) (Outcome, error) {
	caller := call.Caller
	if refusal := a.refused(); refusal != nil || !s.fresh(caller, a) {
		return s.login(ctx, caller, a, refusal)
	}
	if err := s.unmet(caller, a); err != nil {
		return Outcome{}, err
	}
	given, err := s.consented(ctx, caller, a)
	if err != nil {
		return Outcome{}, err
	}
	due := !given || a.Prompts("consent")
	chosen := !a.Prompts("select_account") || s.since(caller, a)
	if !due && chosen {
		outcome, err := s.grant(ctx, call, a, s.unasked(caller, a.Scopes))
		if !errors.Is(err, oauth.ErrConsentNotFound) {
			return outcome, err
		}
		due = true // it was revoked meanwhile
	}
	if a.Prompts("none") { // which goes with no other prompt
		return Outcome{}, &oauth.Refusal{Code: oauth.ConsentRequired, Reason: "the user has not consented to this request yet"}
	}
	uri, err := s.hold(ctx, a, caller.Session)
	return Outcome{Consent: true, Account: !due, RequestURI: uri, Asked: a}, err
}

// login makes a person sign in before a request continues, or before an error is sent
// to the client.
func (s *Service) login(ctx context.Context, caller access.Caller, a *ValidatedRequest, refusal error) (Outcome, error) {
	silent := a.Prompts("none")
	switch {
	case refusal != nil && (silent || !a.waitsToRefuse(caller)):
		return Outcome{}, refusal
	case silent:
		return Outcome{}, &oauth.Refusal{Code: oauth.LoginRequired, Reason: "the user is not signed in, or did not sign in recently enough"}
	}
	if refusal != nil {
		a.pendingRequest = a.refusing(oauth.RefusalOf(refusal))
	}
	uri, err := s.hold(ctx, a, "")
	return Outcome{Login: true, RequestURI: uri, Asked: a}, err
}

// waitsToRefuse reports whether a person signs in before they are led to the client with an error. A
// stranger could send links that lead from here to its own page (RFC 9700 section 4.11.2).
func (a *ValidatedRequest) waitsToRefuse(caller access.Caller) bool {
	return !a.Client.App.Origin.Vouched() && !present(caller)
}

// present reports whether a caller is a signed-in person.
func present(caller access.Caller) bool {
	return caller.Kind == access.Person && !caller.Unfinished && !caller.Unproved
}

// since reports whether the person signed in just now for the request, after it was opened,
// and has thus met all login requirements they can.
func (s *Service) since(caller access.Caller, a *ValidatedRequest) bool {
	return !a.OpenedAt.IsZero() && !caller.AuthTime.Before(a.OpenedAt.Truncate(time.Second)) &&
		s.Clock.Now().Sub(caller.AuthTime) <= oauth.AnswerLife
}

// fresh reports whether the login is as recent and as strong as the request requires. A
// login after the request was opened always is.
func (s *Service) fresh(caller access.Caller, a *ValidatedRequest) bool {
	if !present(caller) {
		return false
	}
	if s.since(caller, a) {
		return true
	}
	switch {
	case a.Prompts("login"):
		return false
	case a.MaxAge != nil && s.Clock.Now().Sub(caller.AuthTime).Seconds() > float64(*a.MaxAge):
		return false
	}
	return a.wants.suffices(caller.AMR)
}

// consentable returns the scopes that need consent: none for apps that skip it, and
// only identity scopes for APIs that skip it.
func (a *ValidatedRequest) consentable() []string {
	switch {
	case a.Client.App.SkipConsent:
		return nil
	case a.Client.Audience.Unasked(a.Client.App):
		return slices.DeleteFunc(slices.Clone(a.Scopes), func(scope string) bool { return !oauth.IsClaimScope(scope) })
	}
	return a.Scopes
}

// consented reports whether the person agreed to all that is asked for.
func (s *Service) consented(ctx context.Context, caller access.Caller, a *ValidatedRequest) (bool, error) {
	scopes := a.consentable()
	a.unasked = len(scopes) == 0 && (a.Client.App.SkipConsent || len(a.Scopes) > 0)
	if a.unasked {
		return true, nil
	}
	held, err := s.Consents.Find(ctx, caller.User, a.Client.App.ID)
	if errors.Is(err, oauth.ErrConsentNotFound) {
		return false, nil
	}
	if err != nil || !oauth.RestoreConsent(held, 0).Covers(scopes) {
		return false, err
	}
	if a.Client.App.AsksInEachSession() {
		used, err := s.Consents.UsedIn(ctx, caller.Session, a.Client.App.ID)
		if err != nil || !used {
			return false, err
		}
	}
	a.agreed = &held
	return true, nil
}
