package authorization

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/application/registration"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
)

var errMore = fault.Unfit("/scopes", "must only contain scopes that the app requested")

// Waiting returns a request that waits for the answer of a session.
func (s *Service) Waiting(ctx context.Context, caller access.Caller, requestURI string) (*ValidatedRequest, error) {
	handle, _ := strings.CutPrefix(requestURI, requestPrefix)
	found, err := s.Links.Find(ctx, challenge.Digest(handle), s.Clock.Now(), challenge.Authorization)
	if errors.Is(err, challenge.ErrGone) {
		return nil, errWaiting
	}
	if err != nil {
		return nil, err
	}
	w, err := read(found)
	if err != nil {
		return nil, err
	}
	if w.Session == "" || w.Session != caller.Session {
		return nil, errWaiting
	}
	return s.judge(ctx, w, nil)
}

// Decide takes the answer of a person to a request; scopes are those that they agreed to, nil
// for all. It fails with access.ErrNotRecent where the scopes need a recent login.
func (s *Service) Decide(ctx context.Context, caller access.Caller, requestURI string, approve bool, scopes []string) (Outcome, error) {
	asked, err := s.Waiting(ctx, caller, requestURI)
	if err != nil {
		return Outcome{}, err
	}
	if scopes == nil {
		scopes = asked.Scopes
	}
	if slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(asked.Scopes, scope) }) {
		return Outcome{}, errMore
	}
	if err := asked.refused(); err != nil {
		refusal := oauth.RefusalOf(err)
		return asked.answer(s.Access.Issuer, "error", refusal.Code, "error_description", refusal.Reason), nil
	}
	if !approve {
		return s.deny(ctx, caller, asked)
	}
	if err := s.entitled(caller, scopes); err != nil {
		return Outcome{}, err
	}
	return s.grant(ctx, caller, asked, scopes)
}

// entitled fails with access.ErrNotRecent if a session without a recent login would grant
// access that outlasts it, or permissions of this service: an old session that was left
// open or stolen must not leave more than itself.
func (s *Service) entitled(caller access.Caller, scopes []string) error {
	if slices.ContainsFunc(scopes, func(scope string) bool { return scope == oauth.OfflineAccess || access.IsOwn(scope) }) {
		return access.CheckRecent(caller, s.Clock.Now())
	}
	return nil
}

func (s *Service) deny(ctx context.Context, caller access.Caller, a *ValidatedRequest) (Outcome, error) {
	err := s.Unit.Do(ctx, func(tx Repos) error {
		if err := s.use(ctx, tx, a); err != nil {
			return err
		}
		return tx.Events.Record(ctx, oauth.ConsentDenied{UserID: caller.User, AppID: a.Client.App.ID, OrgID: caller.Org, Scopes: a.Scopes})
	})
	if err != nil {
		return Outcome{}, err
	}
	return a.answer(s.Access.Issuer, "error", oauth.AccessDenied, "error_description", "the user denied the request"), nil
}

// use uses up a request that waited, and the one that was pushed for it.
func (s *Service) use(ctx context.Context, tx Repos, a *ValidatedRequest) error {
	for _, digest := range []string{a.digest, a.Origin} {
		if digest == "" {
			continue
		}
		if _, err := tx.Challenges.Take(ctx, challenge.Authorization, digest, s.Clock.Now()); errors.Is(err, challenge.ErrGone) {
			return errWaiting
		} else if err != nil {
			return err
		}
	}
	return nil
}

// grant stores the consent, and returns the redirect address with a code.
func (s *Service) grant(ctx context.Context, caller access.Caller, a *ValidatedRequest, scopes []string) (Outcome, error) {
	id, now := oauth.NewGrantID(s.IDs), s.Clock.Now()
	code, digest := s.Texts.Code(id)
	to := s.authorized(caller, a, scopes)
	issued := oauth.Code{Digest: digest, RedirectURI: a.RedirectURI, Challenge: a.Challenge}
	var err error = aggregate.ErrConflict
	if a.routine() {
		err = s.Turns.Issue(ctx, oauth.Issue(id, to, issued, now), a.agreed)
	}
	if errors.Is(err, aggregate.ErrConflict) {
		err = s.Unit.Do(ctx, func(tx Repos) error {
			if err := s.prepare(ctx, tx, a, to, scopes); err != nil {
				return err
			}
			return tx.Grants.Save(ctx, oauth.Issue(id, to, issued, now))
		})
	}
	if err != nil {
		return Outcome{}, err
	}
	return a.answer(s.Access.Issuer, "code", string(code)), nil
}

// routine reports whether nothing but the grant is to be stored.
func (a *ValidatedRequest) routine() bool {
	return a.digest == "" && a.Origin == "" && a.Client.App.Origin != app.ByDocument && (a.agreed != nil || a.unasked)
}

// prepare stores the objects that a grant depends on. It fails with
// oauth.ErrConsentNotFound if the person was not asked and the previous consent was
// revoked.
func (s *Service) prepare(ctx context.Context, tx Repos, a *ValidatedRequest, to oauth.Authorization, scopes []string) error {
	now := s.Clock.Now()
	if err := s.use(ctx, tx, a); err != nil {
		return err
	}
	if a.Client.App.Origin == app.ByDocument {
		strangers := registration.Repos{Apps: tx.Apps, Strangers: tx.Strangers}
		if err := strangers.Keep(ctx, a.Client.App, now); err != nil {
			return err
		}
	}
	if a.agreed != nil {
		consent, err := tx.Consents.Get(ctx, to.UserID, to.AppID)
		if err == nil && !consent.Covers(a.consentable()) {
			err = oauth.ErrConsentNotFound
		}
		return err
	}
	if a.unasked || a.Client.App.SkipConsent {
		return nil
	}
	return agree(ctx, tx, to, scopes, now)
}

// authorized returns the authorization that follows when a person agrees to some scopes.
func (s *Service) authorized(caller access.Caller, a *ValidatedRequest, agreed []string) oauth.Authorization {
	scopes := slices.DeleteFunc(slices.Clone(agreed), func(scope string) bool { return slices.Contains(a.beside, scope) })
	acr, _ := a.wants.reachedBy(caller.AMR)
	to := oauth.Authorization{
		AppID: a.Client.App.ID, UserID: caller.User, OrgID: caller.Org, SessionID: caller.Session,
		Subject: s.subjectOf(a.Client.App, caller.User), Scopes: scopes,
		Offline: slices.Contains(scopes, oauth.OfflineAccess), AuthTime: caller.AuthTime, AMR: caller.AMR, ACR: acr,
		Nonce: a.Nonce, Claims: a.wants.named.Within(agreed).Text(), JKT: a.JKT, Met: caller.Met,
	}
	if target := s.Audiences.Target(a.Resource); target != "" {
		to.Resources = []string{target}
	}
	return to
}

// agree keeps the scopes that a person agreed to.
func agree(ctx context.Context, tx Repos, to oauth.Authorization, scopes []string, now time.Time) error {
	consent, err := tx.Consents.Get(ctx, to.UserID, to.AppID)
	switch {
	case errors.Is(err, oauth.ErrConsentNotFound):
		consent = oauth.Agree(to.UserID, to.AppID, to.OrgID, scopes, now)
	case err != nil:
		return err
	case consent.Covers(scopes):
		return nil
	default:
		consent.Widen(scopes, now)
	}
	return tx.Consents.Save(ctx, consent)
}
