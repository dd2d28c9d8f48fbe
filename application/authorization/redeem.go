package authorization

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"time"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// Refusals of the token endpoint (RFC 6749 section 5.2).
var (
	errGrantType = fault.New(fault.Validation, "unauthorized_client: this grant type is not enabled for the app: add it with APP.UPDATE")
	errVerifier  = fault.New(fault.Validation, "invalid_grant: code_verifier does not match the code_challenge of the authorization request")
	errAddress   = fault.New(fault.Validation, "invalid_grant: redirect_uri does not match the authorization request")
	errMoreScope = fault.New(fault.Validation, "invalid_scope: a refresh cannot add scopes: request only scopes that were originally granted")
	errTarget    = fault.New(fault.Validation, "invalid_target: the grant is for a different resource")
)

// Redemption are the parameters of a token request.
type Redemption struct {
	Client client.Credentials
	// Code, RedirectURI and Verifier belong to the grant type authorization_code, Refresh and
	// Scope to refresh_token.
	Code        secret.String
	RedirectURI string
	Verifier    string
	Refresh     secret.String
	Scope       []string
	// Device is the device code of that grant type.
	Device   secret.String
	Resource string
}

// Tokens are the issued tokens.
type Tokens struct {
	Access    secret.Shown
	Type      string
	ExpiresIn time.Duration
	Refresh   secret.Shown
	ID        secret.Shown
	Scopes    []string
}

// Redeem returns the tokens for a code, for a refresh token, or for a device code.
func (s *Service) Redeem(ctx context.Context, call command.Call, r Redemption) (Tokens, error) {
	by, err := s.Clients.Identify(ctx, &r.Client, call.Client)
	if err != nil {
		return Tokens{}, err
	}
	if by.App.Origin == app.ByDocument && !s.Instance.State().Settings.ClientMetadataDocuments {
		return Tokens{}, client.ErrClient
	}
	kind, read, text := app.AuthorizationCode, s.Texts.ReadCode, r.Code
	switch {
	case !r.Device.Empty():
		return s.redeemDevice(ctx, call, by.App, r)
	case !r.Refresh.Empty():
		kind, read, text = app.RefreshToken, s.Texts.ReadRefresh, r.Refresh
	}
	id, digest, err := read(text)
	switch {
	case !by.App.May(kind):
		return Tokens{}, errGrantType
	case err != nil:
		return Tokens{}, err
	}
	return s.redeem(ctx, call, kind, id, redemption{by: by.App, digest: digest, Redemption: r})
}

// redeem returns the tokens of a grant to its client.
func (s *Service) redeem(ctx context.Context, call command.Call, kind app.GrantType, id oauth.GrantID, g redemption) (Tokens, error) {
	answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{Grant: id})
	if err != nil {
		return Tokens{}, err
	}
	g.behind = answer.Grant
	if g.behind.Failing(s.Clock.Now()).Any(liveness.GrantRedeems) || g.behind.Grant.AppID != g.by.ID {
		return Tokens{}, refusedAs(kind)
	}
	if err := call.Enter(ctx, g.behind.Grant.OrgID); err != nil {
		return Tokens{}, err
	}
	g.jkt, err = s.bound(ctx, call, g.behind.Grant.JKT)
	switch {
	case err != nil:
		return Tokens{}, err
	case g.jkt == "" && g.by.BindsTokens():
		return Tokens{}, dpop.ErrAbsent
	}
	if err := s.aim(ctx, &g); err != nil {
		return Tokens{}, err
	}
	if err := s.describe(ctx, call, &g); err != nil {
		return Tokens{}, err
	}
	return s.give(ctx, call, g)
}

// aim determines which of the granted scopes and APIs the client may still have, since
// scopes are withdrawn, and APIs are moved and deleted.
func (s *Service) aim(ctx context.Context, g *redemption) error {
	granted := g.behind.Grant
	g.scopes = granted.Scopes
	if !g.Refresh.Empty() && len(g.Scope) > 0 {
		g.scopes = g.Scope
	}
	if len(granted.Resources) == 0 {
		g.scopes = scopesOf(outbound.Client{App: g.by}, g.scopes, false)
		return nil
	}
	found, err := s.Apps.BySlug(ctx, g.by.Slug, granted.Resources[0])
	if err != nil {
		return err
	}
	g.audience, g.scopes = found.Audience, scopesOf(found, g.scopes, true)
	g.unfit = s.Audiences.Admit(ctx, granted.Resources[0], found.Audience, found.App)
	if unfit(g.unfit) {
		return nil
	}
	return g.unfit
}

// describe determines the claims of the ID token. Custom claims that are too large make
// the client unfit, as aim does, so that it loses no refresh token by them.
func (s *Service) describe(ctx context.Context, call command.Call, g *redemption) (err error) {
	if !slices.Contains(g.scopes, oauth.OpenID) {
		return nil
	}
	person := Person{
		Account: g.behind.User, Subject: g.behind.Grant.Subject, Org: g.behind.Grant.OrgID, App: &g.by,
		Scopes: g.scopes, Named: oauth.ReadClaims(g.behind.Grant.Claims).IDToken,
	}
	if person.Affiliation, err = s.Books.Affiliation(ctx, g.behind, g.scopes, call.Enter, s.Clock.Now()); err != nil {
		return err
	}
	g.claims, g.custom, err = s.Claims(ctx, &person)
	if unfit(err) {
		g.unfit, err = cmp.Or(g.unfit, err), nil
	}
	return err
}

// unfit reports whether an error means that a client may not have tokens for a
// resource.
func unfit(err error) bool {
	refused, is := errors.AsType[*fault.Error](err)
	return is && refused.Code == fault.Validation
}

func refusedAs(kind app.GrantType) error {
	switch kind {
	case app.RefreshToken:
		return oauth.ErrRefresh
	case app.DeviceCode:
		return oauth.ErrDeviceCode
	default:
		return oauth.ErrCode
	}
}

// bound returns the thumbprint of the key that the client proved to hold; "" for none, where
// the grant is bound to none.
func (s *Service) bound(ctx context.Context, call command.Call, want string) (string, error) {
	if call.Proof == "" {
		if want != "" {
			return "", dpop.ErrAbsent
		}
		return "", nil
	}
	return s.Proofs.Check(ctx, proof.Proof{Text: call.Proof, Method: call.Method, URL: call.URL, WantJKT: want})
}

// redemption is a redemption in progress.
type redemption struct {
	Redemption

	by     app.Snapshot
	behind *outbound.GrantIdentity
	digest oauth.Digest
	jkt    string
	// scopes are those of the tokens, audience is the owner of their resource, and
	// unfit the error if the client may no longer have tokens for it.
	scopes   []string
	audience *resource.Audience
	unfit    error
	// claims and custom are those of the ID token.
	claims PersonClaims
	custom map[string]any
	// going is the decision about a refresh; nil if there is none yet.
	going *login.GoingGrant
}

// decided applies the decision about a refresh to the grant. A refresh without a decision is
// tried again.
func (g *redemption) decided(held *oauth.Grant, refresh secret.Shown, err error) (secret.Shown, error) {
	switch {
	case err != nil || g.Refresh.Empty():
		return refresh, err
	case g.going == nil:
		return "", aggregate.ErrConflict
	}
	held.Meet(g.going.Met, g.going.OwnerMet)
	return refresh, nil
}

// give stores the change of the grant, and issues the tokens. A refusal that ends the
// grant is stored like a success.
func (s *Service) give(ctx context.Context, call command.Call, g redemption) (Tokens, error) {
	granted, refresh, err := s.takeTurn(ctx, call, &g)
	if errors.Is(err, aggregate.ErrConflict) { // somebody else was faster: look again
		granted, refresh, err = s.lookAgain(ctx, g)
	}
	if err == nil && g.going != nil {
		err = live.Keep(ctx, g.going.Runs)
	}
	if err != nil {
		return Tokens{}, err
	}
	made, err := s.sign(ctx, granted, g)
	made.Refresh = refresh
	return made, err
}

// takeTurn changes the grant as read together with the credentials, in the usual case
// without conflicts. It fails with aggregate.ErrConflict if the grant was changed, or
// is to end. Flows decide about a refresh whose token is valid.
func (s *Service) takeTurn(ctx context.Context, call command.Call, g *redemption) (oauth.GrantSnapshot, secret.Shown, error) {
	held := oauth.RestoreGrant(g.behind.Grant, g.behind.Version)
	refresh, err := s.turn(held, *g)
	if err == nil && !g.Refresh.Empty() {
		g.going, err = s.goingOn(ctx, call, g.behind)
		refresh, err = g.decided(held, refresh, err)
	}
	if err == nil && g.going != nil && g.going.OwnerMet != g.behind.Grant.OwnerMet {
		g.behind.Grant.OwnerMet = g.going.OwnerMet
		err = cmp.Or(s.describe(ctx, call, g), g.unfit)
	}
	switch {
	case held.Ended():
		return oauth.GrantSnapshot{}, "", aggregate.ErrConflict
	case err != nil:
		return oauth.GrantSnapshot{}, "", err
	case held.Changed(): // else the answer of a rotation was lost
		err = s.Turns.Store(ctx, held)
	}
	return held.Snapshot(), refresh, err
}

// lookAgain is takeTurn in a transaction, with the grant as it is in there.
func (s *Service) lookAgain(ctx context.Context, g redemption) (granted oauth.GrantSnapshot, refresh secret.Shown, err error) {
	var refused error
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Grants.ByID(ctx, g.behind.Grant.ID)
		if err != nil {
			return err
		}
		refresh, refused = s.turn(held, g)
		refresh, refused = g.decided(held, refresh, refused)
		granted = held.Snapshot()
		if !held.Changed() || refused != nil && !held.Ended() {
			return nil
		}
		return tx.Grants.Save(ctx, held)
	})
	if errors.Is(err, oauth.ErrGrantNotFound) || errors.Is(err, aggregate.ErrBereft) {
		return granted, "", refusedAs(app.RefreshToken)
	}
	return granted, refresh, cmp.Or(err, refused)
}

// turn redeems the code of a grant, or uses its refresh token, unless the client may
// not have tokens for its resource. That is checked last, so that a replay ends the
// grant in any case.
func (s *Service) turn(held *oauth.Grant, g redemption) (secret.Shown, error) {
	refresh, err := s.spend(held, g)
	if err != nil {
		return "", err
	}
	return refresh, g.unfit
}

func (s *Service) spend(held *oauth.Grant, g redemption) (secret.Shown, error) {
	now, of := s.Clock.Now(), held.Snapshot()
	if target := s.Audiences.Target(g.Resource); target != "" && !slices.Contains(of.Resources, target) {
		return "", errTarget
	}
	if !g.Refresh.Empty() {
		return s.renew(held, g)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(of.Code.Digest), []byte(g.digest)) != 1:
		return "", oauth.ErrCode
	case !of.RedeemedAt.IsZero(): // before all else: a second use ends what the first one gave
	case !g.Device.Empty():
		if !now.Before(of.Code.ExpiresAt) {
			return "", oauth.ErrDeviceExpired
		}
	case of.Code.RedirectURI != "" && of.Code.RedirectURI != g.RedirectURI:
		return "", errAddress
	case (of.Code.Challenge != "" || g.Verifier != "") && !oauth.Verifies(of.Code.Challenge, g.Verifier):
		return "", errVerifier
	}
	var first secret.Shown
	var digest oauth.Digest
	if g.by.May(app.RefreshToken) {
		first, digest = s.Texts.Refresh(of.ID)
	}
	key := ""
	if g.by.Type.Public() {
		key = g.jkt // its refresh tokens are bound, too (RFC 9449 section 5)
	}
	if !g.Device.Empty() {
		return first, held.RedeemDevice(s.lives(g.by), digest, key, now)
	}
	return first, held.Redeem(s.lives(g.by), digest, key, now)
}

// renew uses the refresh token of a grant, and returns the one that is good from now on.
func (s *Service) renew(held *oauth.Grant, g redemption) (secret.Shown, error) {
	now, of := s.Clock.Now(), held.Snapshot()
	if slices.ContainsFunc(g.Scope, func(scope string) bool { return !of.Has(scope) }) {
		return "", errMoreScope
	}
	if !g.by.RotatesRefresh() {
		return secret.Shown(g.Refresh.Reveal()), held.Reuse(g.digest, now)
	}
	next, digest := s.Texts.Successor(of.ID, g.digest)
	return next, held.Rotate(g.digest, digest, s.Instance.State().Settings.RefreshRetry(), now)
}

// lives bound the grants of an app.
func (s *Service) lives(of app.Snapshot) oauth.Lifetimes {
	bounds := s.Instance.State().Policies.Session
	lives := oauth.Lifetimes{Idle: bounds.Idle(), Absolute: bounds.Absolute()}
	if of.RefreshTTL > 0 {
		lives = oauth.Lifetimes{Idle: of.RefreshTTL, Absolute: of.RefreshTTL}
	}
	return lives
}
