package authorization

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/registration"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
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
func (s *Service) Decide(ctx context.Context, call command.Call, requestURI string, approve bool, scopes []string) (Outcome, error) {
	caller := call.Caller
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
	return s.grant(ctx, call, asked, scopes)
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

// unasked returns those of the scopes of an earlier consent that a session may grant without
// asking again. Access that outlasts the session needs a recent login, as a new consent does
// (OpenID Connect Core section 11 leaves offline_access out without prompt=consent). Anything
// else ends with the session.
func (s *Service) unasked(caller access.Caller, scopes []string) []string {
	if access.CheckRecent(caller, s.Clock.Now()) == nil {
		return scopes
	}
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return scope == oauth.OfflineAccess })
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
func (s *Service) grant(ctx context.Context, call command.Call, a *ValidatedRequest, scopes []string) (Outcome, error) {
	id, now := oauth.NewGrantID(s.IDs), s.Clock.Now()
	code, digest := s.Texts.Code(id)
	to, err := s.authorized(ctx, call, a, scopes)
	if err != nil {
		return Outcome{}, err
	}
	issued := oauth.Code{Digest: digest, RedirectURI: a.RedirectURI, Challenge: a.Challenge}
	err = aggregate.ErrConflict
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
func (s *Service) authorized(ctx context.Context, call command.Call, a *ValidatedRequest, agreed []string) (oauth.Authorization, error) {
	caller := call.Caller
	scopes := slices.DeleteFunc(slices.Clone(agreed), func(scope string) bool { return slices.Contains(a.beside, scope) })
	acr, _ := a.wants.reachedBy(caller.AMR)
	to := oauth.Authorization{
		AppID: a.Client.App.ID, UserID: caller.User, OrgID: caller.Org, SessionID: caller.Session,
		Subject: s.subjectOf(a.Client.App, caller.User), Scopes: scopes,
		Offline: slices.Contains(scopes, oauth.OfflineAccess), AuthTime: caller.AuthTime, AMR: caller.AMR, ACR: acr,
		Nonce: a.Nonce, Claims: a.wants.named.Within(agreed).Text(), JKT: a.JKT,
	}
	if target := s.Audiences.Target(a.Resource); target != "" {
		to.Resources = []string{target}
	}
	return to, s.meet(ctx, call, a.Client, &to)
}

// meet records which sign-in rules the session of an authorization meets: those of the workspace
// that it acts in, and of the one that owns the app.
func (s *Service) meet(ctx context.Context, call command.Call, by outbound.Client, to *oauth.Authorization) error {
	held, owner := call.Caller.Within, by.App.OrgID
	to.Met = held.MetAt(to.OrgID)
	if owner == to.OrgID {
		return nil
	}
	if err := call.Enter(ctx, owner); errors.Is(err, iprule.ErrDeniedThere) {
		to.OwnerMet = workspace.KeptOut
		return nil
	} else if err != nil {
		return err
	}
	if to.OwnerMet = held.MetAt(owner); held.Meets(owner, by.Rules) || !to.TellsPlace(by.App) {
		return nil
	}
	unmet, err := s.Login.Unmet(ctx, call, owner, *held)
	if err == nil && unmet == nil {
		to.OwnerMet = call.Revision
	}
	return err
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
