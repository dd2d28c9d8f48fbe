package social

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/ports/outbound/signin"
)

// githubEmails is where github tells which addresses are verified.
const githubEmails = "https://api.github.com/user/emails"

var (
	errNobody = errors.New("the profile has no identifier")
	errStatus = errors.New("the response status is not 200")
	errText   = errors.New("the response is not valid UTF-8")
	errToken  = errors.New("the response contains no access token")
)

// Options are what development and tests change.
type Options struct {
	// Bases are where providers are instead of at their own addresses.
	Bases map[social.Provider]*url.URL
	// Patience is how long a provider has for one call in all; 0 is ten seconds.
	Patience time.Duration
}

// Upstream asks the providers.
type Upstream struct {
	known     map[social.Provider]provider
	bases     map[social.Provider]*url.URL
	transport *http.Transport
	patience  time.Duration
}

var _ signin.Upstream = (*Upstream)(nil)

// New makes a client of all providers.
func New(o Options) *Upstream {
	return &Upstream{known: providers(), bases: o.Bases, transport: newTransport(), patience: cmp.Or(o.Patience, defaultPatience)}
}

// Close ends connections that nobody uses.
func (u *Upstream) Close() { u.transport.CloseIdleConnections() }

// through returns the HTTP client of one call.
func (u *Upstream) through(ctx context.Context, p social.Provider) *http.Client {
	return carrier{ctx: ctx, next: u.transport, base: u.bases[p]}.client()
}

// AuthorizationURL words an authorization request.
func (u *Upstream) AuthorizationURL(c social.Client, ask signin.UpstreamAuthParams) (string, error) {
	begun, err := u.known[c.Provider].library(c, ask.RedirectURI, c.Scopes, nil).BeginAuth(ask.State)
	if err != nil {
		return "", fmt.Errorf("create an authorization request: %w", err)
	}
	text, err := begun.GetAuthURL()
	if err != nil {
		return "", fmt.Errorf("create an authorization request: %w", err)
	}
	address, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("read an authorization request: %w", err)
	}
	query := address.Query()
	query.Set("code_challenge", oauth2.S256ChallengeFromVerifier(ask.Verifier))
	query.Set("code_challenge_method", "S256")
	address.RawQuery = query.Encode()
	return elsewhere(address, u.bases[c.Provider]).String(), nil
}

// Exchange takes a code to the provider and asks who it is of.
func (u *Upstream) Exchange(ctx context.Context, c social.Client, answer signin.UpstreamTokenParams) (signin.UpstreamLogin, error) {
	ctx, cancel := context.WithTimeout(ctx, u.patience)
	defer cancel()
	p, through := u.known[c.Provider], u.through(ctx, c.Provider)
	token, err := p.config(c, answer.RedirectURI).Exchange(
		context.WithValue(ctx, oauth2.HTTPClient, through), answer.Code.Reveal(), oauth2.VerifierOption(answer.Verifier))
	if err != nil {
		return signin.UpstreamLogin{}, refusal(err)
	}
	tokens, err := tokensOf(token, c.Scopes)
	if err != nil {
		return signin.UpstreamLogin{}, refusal(err)
	}
	profile, err := p.profile(ctx, c, token.AccessToken, through)
	if err != nil {
		return signin.UpstreamLogin{}, social.ErrUnavailable.Because(harmless(err))
	}
	return signin.UpstreamLogin{Profile: profile, Tokens: tokens}, nil
}

// Refresh gets other tokens.
func (u *Upstream) Refresh(ctx context.Context, c social.Client, refresh secret.String) (signin.UpstreamTokens, error) {
	ctx, cancel := context.WithTimeout(ctx, u.patience)
	defer cancel()
	p, through := u.known[c.Provider], u.through(ctx, c.Provider)
	if !p.library(c, "", nil, through).RefreshTokenAvailable() {
		return signin.UpstreamTokens{}, social.ErrCode
	}
	held := &oauth2.Token{RefreshToken: refresh.Reveal()}
	token, err := p.config(c, "").TokenSource(context.WithValue(ctx, oauth2.HTTPClient, through), held).Token()
	if err != nil {
		return signin.UpstreamTokens{}, refusal(err)
	}
	tokens, err := tokensOf(token, nil)
	if err != nil {
		return signin.UpstreamTokens{}, refusal(err)
	}
	return tokens, nil
}

// refusal distinguishes a code or token that the provider refuses from everything
// else that may go wrong. What a provider writes beside its error code is kept from
// the log: nobody knows what it is.
func refusal(err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return social.ErrUnavailable.Because(harmless(err))
	case slices.Contains([]string{"invalid_grant", "bad_verification_code", "bad_refresh_token"}, refused.ErrorCode):
		return social.ErrCode
	case slices.Contains([]string{
		"invalid_client", "incorrect_client_credentials", "redirect_uri_mismatch", "unauthorized_client", "invalid_request", "invalid_scope",
	}, refused.ErrorCode):
		return social.ErrUnavailable.Because(errors.New("the provider rejected the client: " + refused.ErrorCode))
	default:
		return social.ErrUnavailable.Because(errors.New("the provider rejected the token request"))
	}
}

// longestLife is how long an access token may be said to live.
const longestLife = 10 * 365 * 24 * time.Hour

// tokensOf takes over what a provider answered. Without scopes in it those asked
// for were granted (RFC 6749 section 5.1). An answer that is a form may hold bytes
// that are no text, and could not be stored.
func tokensOf(t *oauth2.Token, asked []string) (signin.UpstreamTokens, error) {
	said, _ := t.Extra("scope").(string)
	switch {
	case t.AccessToken == "":
		return signin.UpstreamTokens{}, errToken
	case !utf8.ValidString(t.AccessToken), !utf8.ValidString(t.RefreshToken), !utf8.ValidString(said):
		return signin.UpstreamTokens{}, errText
	}
	granted := asked
	if said != "" {
		granted = strings.FieldsFunc(said, func(r rune) bool { return r == ' ' || r == ',' })
	}
	life := min(max(0, t.ExpiresIn), int64(longestLife/time.Second))
	return signin.UpstreamTokens{
		Access: secret.New(t.AccessToken), Refresh: secret.New(t.RefreshToken),
		Life: time.Duration(life) * time.Second, Scopes: granted,
	}, nil
}

// profile asks who an access token is of. It asks without scopes, or github's
// provider would look for an address in its own way.
func (p provider) profile(ctx context.Context, c social.Client, access string, through *http.Client) (social.Profile, error) {
	library := p.library(c, "", nil, through)
	held, err := session(access)
	if err != nil {
		return social.Profile{}, err
	}
	restored, err := library.UnmarshalSession(held)
	if err != nil {
		return social.Profile{}, err
	}
	found, err := library.FetchUser(restored)
	if err != nil {
		return social.Profile{}, err
	}
	claim := social.Claim{ID: found.UserID, Email: found.Email, Name: found.Name, Nickname: found.NickName, Avatar: found.AvatarURL}
	if shown, _ := found.RawData[p.shown].(string); shown != "" {
		claim.Name, claim.Nickname = shown, found.Name
	}
	if p.verified != nil {
		claim.Verified = p.verified(found)
	} else if err := primaryEmail(ctx, &claim, access, through); err != nil {
		return social.Profile{}, err
	}
	profile, ok := social.Normalize(claim)
	if !ok {
		return social.Profile{}, errNobody
	}
	return profile, nil
}

// primaryEmail looks up the primary address at github, and whether it is verified. A token
// without the scope for it has none.
func primaryEmail(ctx context.Context, claim *social.Claim, access string, through *http.Client) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, githubEmails, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+access)
	request.Header.Set("Accept", "application/json")
	answer, err := through.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusForbidden, http.StatusNotFound:
		return nil
	default:
		return errStatus
	}
	var all []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if err := json.UnmarshalRead(answer.Body, &all); err != nil {
		return err
	}
	for _, one := range all {
		if one.Primary {
			claim.Email, claim.Verified = one.Email, one.Verified
			return nil
		}
	}
	return nil
}
