package oauth

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// look returns what a caller may know of a token of any kind; of one that is not active, maybe a
// part.
func (s *Service) look(ctx context.Context, by access.Caller, text secret.String) (IntrospectResult, error) {
	if id, digest, err := s.Authorization.Texts.ReadRefresh(text); err == nil {
		return s.grantRefresh(ctx, by, id, digest)
	}
	if id, digest, err := s.Logins.Read(text); err == nil {
		return s.loginRefresh(ctx, by, id, digest)
	}
	found, err := s.Access.Inspect(ctx, text.Reveal(), s.Access.Refresh(s.Admission))
	switch {
	case errors.Is(err, token.ErrInvalid), errors.Is(err, token.ErrExpired):
		return IntrospectResult{}, nil
	case err != nil:
		return IntrospectResult{}, err
	}
	answer, err := s.Admission.Admit(ctx, behind(found))
	if err != nil {
		return IntrospectResult{}, err
	}
	shown := IntrospectResult{
		Subject: found.Subject, ClientID: cmp.Or(found.Client, app.LoginClient), TokenType: "Bearer", Audience: found.Audience,
		Expiry: found.Expiry, IssuedAt: found.IssuedAt, JTI: found.ID,
	}
	if found.JKT != "" {
		shown.TokenType, shown.Confirmation = "DPoP", &token.Confirmation{JKT: found.JKT}
	}
	if found.Actor != nil {
		shown.Actor = found.Actor
	}
	now := s.Clock.Now()
	switch {
	case found.Delegated():
		return s.ofGrant(ctx, by, shown.scoped(found.Scope), answer.Grant, now)
	case found.Machine():
		return s.ofApp(ctx, by, shown, answer.Token, now)
	case !s.ofMember(by, answer.Identity, now):
		return IntrospectResult{}, nil
	default:
		return s.ofLogin(ctx, found, shown, answer.Identity)
	}
}

// behind asks for what stands behind an access token.
func behind(found token.VerifiedToken) outbound.AdmissionAsk {
	switch {
	case found.Delegated():
		return outbound.AdmissionAsk{Grant: oauth.GrantID(found.Grant)}
	case found.Machine():
		return outbound.AdmissionAsk{Token: found.ID}
	default:
		return outbound.AdmissionAsk{Session: session.ID(found.Session)}
	}
}

func (r IntrospectResult) scoped(scope string) IntrospectResult {
	r.Scope = &scope
	return r
}

// concerns reports whether a token is one that a caller may know of: its own, one for this
// service in its workspace, or one for an API of its workspace.
func (s *Service) concerns(ctx context.Context, by access.Caller, of app.ID, audience string, org workspace.ID) (bool, error) {
	switch {
	case of == by.App:
		return true, nil
	case audience == s.Access.Issuer:
		return org == by.Org, nil
	}
	held, err := s.Directory.Audience(ctx, audience)
	return held != nil && held.OrgID == by.Org, err
}

// stands reports whether an audience is still one that a client may have tokens for: one that moved
// to another workspace ends those given out under it before.
func (s *Service) stands(ctx context.Context, client, audience string) (bool, error) {
	if audience == s.Access.Issuer {
		return true, nil
	}
	of, err := s.Authorization.Apps.BySlug(ctx, client, audience)
	if errors.Is(err, app.ErrNotFound) {
		return false, nil
	}
	return !of.Audience.Foreign(of.App.OrgID), err
}

// ofGrant completes what is known of a token that a client was given for a person, with the scopes
// that the client may still have.
func (s *Service) ofGrant(ctx context.Context, by access.Caller, shown IntrospectResult, g *outbound.GrantIdentity, now time.Time) (IntrospectResult, error) {
	if g.Failing(now) != 0 || g.Client != shown.ClientID {
		return IntrospectResult{}, nil
	}
	if stands, err := s.stands(ctx, g.Client, shown.Audience); err != nil || !stands {
		return IntrospectResult{}, err
	}
	known, err := s.concerns(ctx, by, g.Grant.AppID, shown.Audience, g.Grant.OrgID)
	shown = shown.scoped(strings.Join(g.Remaining(strings.Fields(*shown.Scope)), " "))
	shown.Active, shown.Username, shown.OrgID = known, g.User.Email.String(), g.Grant.OrgID.String()
	if !g.Grant.Offline {
		shown.Session = g.Grant.SessionID.String()
	}
	return shown, err
}

// ofApp completes what is known of an M2M token, with the scopes that its app still has.
func (s *Service) ofApp(ctx context.Context, by access.Caller, shown IntrospectResult, t *outbound.TokenIdentity, now time.Time) (IntrospectResult, error) {
	if t.Failing(now) != 0 {
		return IntrospectResult{}, nil
	}
	known, err := s.concerns(ctx, by, t.App, shown.Audience, t.Org)
	shown = shown.scoped(strings.Join(t.Remaining(), " "))
	shown.Active, shown.OrgID = known, t.Org.String()
	return shown, err
}

// ofLogin completes what is known of the token of a session. One by which a person may only do what is required
// of them is for nobody else.
func (s *Service) ofLogin(ctx context.Context, found token.VerifiedToken, shown IntrospectResult, i *outbound.Identity) (IntrospectResult, error) {
	if found.Unfinished || found.Org != i.Session.OrgID.String() {
		return IntrospectResult{}, nil
	}
	if i.Impersonation != nil {
		if ended, err := s.Policies.Fallen(ctx, i.Impersonation, s.Clock.Now()); err != nil || ended != "" {
			return IntrospectResult{}, err
		}
	}
	shown.Active, shown.Username, shown.OrgID, shown.Session = true, i.User.Email.String(), found.Org, found.Session
	return shown, nil
}

// ofMember reports whether a session goes on, of somebody who acts in the caller's workspace.
func (s *Service) ofMember(by access.Caller, i *outbound.Identity, now time.Time) bool {
	return i.Failing(now) == 0 && i.Session.OrgID == by.Org
}

// grantRefresh returns what is known of the refresh token of a grant.
func (s *Service) grantRefresh(ctx context.Context, by access.Caller, id oauth.GrantID, digest oauth.Digest) (IntrospectResult, error) {
	answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{Grant: id})
	if err != nil || answer.Grant == nil || answer.Grant.Grant.Refresh != digest {
		return IntrospectResult{}, err
	}
	of := answer.Grant.Grant
	audience := s.Access.Issuer
	if len(of.Resources) > 0 {
		audience = of.Resources[0]
	}
	shown := IntrospectResult{
		Subject: of.Subject, ClientID: answer.Grant.Client, Audience: audience,
		Expiry: ending(of.ExpiresAt, of.LastUsedAt.Add(of.Idle)), IssuedAt: of.RotatedAt.Unix(),
	}
	if of.JKT != "" {
		shown.Confirmation = &token.Confirmation{JKT: of.JKT}
	}
	return s.ofGrant(ctx, by, shown.scoped(strings.Join(of.Scopes, " ")), answer.Grant, s.Clock.Now())
}

// loginRefresh returns what is known of the refresh token of a session.
func (s *Service) loginRefresh(ctx context.Context, by access.Caller, id session.ID, digest session.Digest) (IntrospectResult, error) {
	answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{Session: id})
	if err != nil || !s.ofMember(by, answer.Identity, s.Clock.Now()) || answer.Identity.Session.Refresh != digest {
		return IntrospectResult{}, err
	}
	of := answer.Identity.Session
	return IntrospectResult{
		Active: true, Subject: of.UserID.String(), ClientID: app.LoginClient, Username: answer.Identity.User.Email.String(),
		Audience: s.Access.Issuer, Expiry: ending(of.ExpiresAt, of.LastUsedAt.Add(of.Idle)), IssuedAt: of.RotatedAt.Unix(),
		OrgID: of.OrgID.String(), Session: of.ID.String(),
	}, nil
}

// ending returns the earlier of two moments, in Unix seconds.
func ending(a, b time.Time) int64 { return min(a.Unix(), b.Unix()) }
