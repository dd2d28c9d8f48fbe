package m2m

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// exchangeTries is how often an issue that met a change of the app begins anew: as
// often as a unit of work. Each one more takes one more change in between.
const exchangeTries = 12

// How a token is presented (RFC 6750, RFC 9449 section 5).
const (
	bearer = "Bearer"
	bound  = "DPoP"
)

// Errors of a request for a token.
var (
	errGrant = fault.New(fault.Validation,
		"unauthorized_client: the app cannot act for itself; add the grant type client_credentials with APP.UPDATE")
	errTwoTargets = fault.New(fault.Validation, "invalid_request: audience and resource differ; send only one of them")
	errBinding    = fault.Unfit("/dpop_binding", "must be a registered key of this app that is not revoked or expired")
)

// exchange authenticates the client and issues a token. When the app changes before
// the token is stored all of it is done again: no token outlives what it was given
// for. So it is where an app is refused as the store remembers it.
func (s *Service) exchange(ctx context.Context, call command.Call, p TokenParams) (TokenResult, error) {
	credentials, holder := p.credentials(s.Audiences.Target(p.target())), &holder{}
	credentials.DryRun, credentials.Count, credentials.Method = call.DryRun, call.Count, call.ClientMethod
	for range exchangeTries {
		result, err := s.issue(ctx, call, p, &credentials, holder)
		recalled := call.Client != nil && call.Client.Recalled
		if err == nil || !recalled && !errors.Is(err, aggregate.ErrConflict) {
			return result, err
		}
		call.Client = nil // another try reads the app anew
	}
	return TokenResult{}, aggregate.ErrConflict
}

// admit decides whether an app may have a token for a target. What is asked for as a resource is
// an absolute URI, unless it is known.
func (s *Service) admit(ctx context.Context, p TokenParams, target string, found outbound.Client) error {
	if p.Resource == "" {
		return s.Audiences.Admit(ctx, target, found.Audience, found.App)
	}
	if p.Audience != "" && p.Audience != p.Resource {
		return errTwoTargets
	}
	return s.Audiences.AdmitResource(ctx, target, found.Audience, found.App)
}

func (s *Service) issue(ctx context.Context, call command.Call, p TokenParams, c *client.Credentials, h *holder) (TokenResult, error) {
	found, err := s.Clients.Authenticate(ctx, c, call.Client)
	if err != nil {
		return TokenResult{}, err
	}
	if !found.App.May(app.ClientCredentials) {
		return TokenResult{}, errGrant
	}
	if err := call.Enter(ctx, found.App.OrgID); err != nil {
		return TokenResult{}, err
	}
	if err := s.admit(ctx, p, c.Audience, found); err != nil {
		return TokenResult{}, err
	}
	scope, count, err := scopeOf(found, p.Scopes)
	if err != nil {
		return TokenResult{}, err
	}
	jkt, err := s.bind(ctx, call, p.DPoPBinding, found.App.ID, h)
	switch {
	case err != nil:
		return TokenResult{}, err
	case jkt == "" && found.App.BindsTokens():
		return TokenResult{}, dpop.ErrAbsent
	}
	verdict, err := s.decide(ctx, found.App, scope)
	if err != nil {
		return TokenResult{}, err
	}
	life := found.Audience.Life(found.App.TokenLife(time.Duration(p.TTLSeconds) * time.Second))
	issued := s.made(found, scope, c.Audience, jkt, life)
	signed, err := s.storeAndSign(ctx, issued, found, verdict, m2m.IssuedData{
		JTI: issued.JTI, AppID: found.App.ID, OrgID: found.App.OrgID, ScopeCount: count, DPoP: jkt != "",
	})
	if err != nil {
		return TokenResult{}, err
	}
	kind := bearer
	if jkt != "" {
		kind = bound
	}
	return TokenResult{
		AccessToken: signed, JTI: issued.JTI, TokenType: kind, ExpiresIn: int(life / time.Second), Scope: scope,
	}, nil
}

// made returns the token for a client. It is never older than the last revocation of all
// tokens of the app, which may come from a replica whose clock is ahead.
func (s *Service) made(found outbound.Client, scope, target, jkt string, life time.Duration) m2m.Issued {
	now := s.Clock.Now()
	if now.Before(found.App.RevokedBefore) {
		now = found.App.RevokedBefore
	}
	token := m2m.Issued{
		JTI: s.IDs.UUID(), App: found.App.ID, AppVersion: found.Version, Scope: scope, Audience: cmp.Or(target, s.Access.Issuer), JKT: jkt,
		IssuedAt: now, ExpiresAt: now.Truncate(time.Second).Add(life),
	}
	if found.Audience != nil {
		token.Epoch, token.AudienceVersion = found.Audience.Epoch, found.Audience.Version
	}
	return token
}

// storeAndSign makes a token of what is issued. Where nobody has the audience yet, it is
// claimed instead, and aggregate.ErrConflict has the client read anew: as its holder, or
// as one who came too late.
func (s *Service) storeAndSign(ctx context.Context, issued m2m.Issued, of outbound.Client, by live.Verdict, happened m2m.IssuedData) (secret.Shown, error) {
	custom, err := s.Claims.Evaluate(ctx, of.App, nil)
	if err != nil {
		return "", err
	}
	custom = joined(custom, by.Claims)
	payload, err := s.Access.MachinePayload(issued, of.App.Slug, of.App.OrgID, custom)
	if err != nil {
		return "", err
	}
	if of.Audience == nil && issued.Audience != s.Access.Issuer {
		if err := s.claim(ctx, of.App.OrgID, issued.Audience); err != nil {
			return "", err
		}
		return "", aggregate.ErrConflict
	}
	return token.SignMeanwhile(
		func() error { return s.Issues.Issue(ctx, issued, by.Runs, happened) },
		func() (secret.Shown, error) { return s.Access.SignMachine(payload) },
	)
}

// holder remembers, over the tries of one call, the key that the client proved to
// hold: a proof passes only once.
type holder struct {
	proved     bool
	thumbprint string
}

// bind returns the thumbprint of the key that the token is to be bound to, "" for none.
func (s *Service) bind(ctx context.Context, call command.Call, binding dpop.ID, of app.ID, h *holder) (string, error) {
	want := ""
	if binding != "" {
		found, err := s.Bindings.Live(ctx, binding, dpop.Owner{App: of})
		if errors.Is(err, dpop.ErrNotFound) {
			return "", errBinding
		}
		if err != nil {
			return "", err
		}
		want = found.Thumbprint
	}
	if call.Proof == "" {
		return want, nil
	}
	if h.proved {
		if want != "" && want != h.thumbprint {
			return "", dpop.ErrOtherKey
		}
		return h.thumbprint, nil
	}
	proved, err := s.Proofs.Check(ctx, proof.Proof{Text: call.Proof, Method: call.Method, URL: call.URL, WantJKT: want})
	if err != nil {
		return "", err
	}
	h.proved, h.thumbprint = true, proved
	return proved, nil
}
