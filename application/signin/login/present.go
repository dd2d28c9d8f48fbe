package login

import (
	"cmp"
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// ErrPasswordNeeded is returned if a reauthentication requires the password.
var ErrPasswordNeeded = fault.Unfit("/password", "is required: the account has a password and no passkey")

// errOtherFactor is returned for a second factor that the flow does not accept.
var errOtherFactor = fault.New(fault.Auth, "a flow requires a different second factor: use another method")

// Reauthenticate marks the session of a call as reauthenticated by authentication methods. If
// the account has a second factor, passkeys included, that factor is demanded first; a
// remembered device does not replace it.
func (s *Service) Reauthenticate(ctx context.Context, tx Repos, call command.Call, amr []string) (Opened, error) {
	caller := call.Caller
	who, err := tx.Entrants.Entrant(ctx, signin.LoginTarget{Person: caller.User, Org: caller.Org})
	if err != nil {
		return Opened{}, err
	}
	now := s.Clock.Now()
	if methods := offered(who.Factors, who.Passkey, amr, now); len(methods) > 0 {
		noMail := distrusted(who.Factors, who.Passkey, now)
		return s.await(ctx, tx, Waiting{UserID: caller.User, Org: caller.Org, AMR: amr, Session: caller.Session, NoMail: noMail}, methods)
	}
	return s.present(ctx, tx, Waiting{UserID: caller.User, AMR: amr, Session: caller.Session}, nil)
}

// ReauthenticateOtherwise opens a challenge by which the person of a call reauthenticates
// without the password: by a passkey, or, for accounts without a password, by any second
// factor, or else by a mailed code. The authentication methods of the session are kept. It
// fails with ErrPasswordNeeded.
func (s *Service) ReauthenticateOtherwise(ctx context.Context, tx Repos, call command.Call) (Opened, error) {
	caller := call.Caller
	held, err := tx.Factors.ByUser(ctx, caller.User)
	if err != nil {
		return Opened{}, err
	}
	passkey, err := tx.Factors.HasPasskey(ctx, caller.User)
	if err != nil {
		return Opened{}, err
	}
	secured, err := tx.Credentials.ByUser(ctx, caller.User)
	if err != nil {
		return Opened{}, err
	}
	now := s.Clock.Now()
	w := Waiting{UserID: caller.User, Org: caller.Org, Session: caller.Session, NoMail: distrusted(held, passkey, now)}
	methods := offered(held, passkey, nil, now)
	switch {
	case secured.Hash() != "" && !passkey:
		return Opened{}, ErrPasswordNeeded
	case secured.Hash() != "":
		w.PasskeyOnly, methods = true, []mfa.Method{mfa.Passkey}
	case len(methods) == 0:
		w.Mailbox, methods = true, []mfa.Method{mfa.Email}
	}
	return s.await(ctx, tx, w, methods)
}

// completePresent ends the challenge of a reauthentication or a switch. If the session has ended
// meanwhile, the answer is refused.
func (s *Service) completePresent(ctx context.Context, tx Repos, a Answered) (Opened, error) {
	refusal, err := s.decidePresent(ctx, tx, &a)
	if err != nil {
		return Opened{}, err
	}
	if refusal != nil {
		return Opened{Refusal: refusal}, nil
	}
	opened, err := s.present(ctx, tx, a.Waiting, a.By)
	if errors.Is(err, session.ErrEnded) || errors.Is(err, session.ErrNotFound) {
		return Opened{Refusal: cmp.Or(a.Refused, error(ErrRefused))}, nil
	}
	return opened, err
}

// decidePresent runs the flows for a second factor that is given within a session.
func (s *Service) decidePresent(ctx context.Context, tx Repos, a *Answered) (*fault.Error, error) {
	if live.Trigger(ctx) == "" {
		return nil, nil
	}
	e := &entry{
		Proof: Proof{
			Wanted: Wanted{Call: a.Call, Policies: a.Policies, Org: a.Org},
			UserID: a.UserID, AMR: Joined(a.AMR, a.By...),
		},
		trigger: flow.MFAVerify, asked: a.Asked,
	}
	who, err := tx.Entrants.Entrant(ctx, e.entering())
	if err != nil || who.Member == nil {
		return nil, err
	}
	e.found(who)
	held, err := tx.Sessions.ByID(ctx, a.Session)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil // The session ended meanwhile; the caller will find out.
	}
	if err != nil {
		return nil, err
	}
	within := held.Snapshot()
	e.within = &within
	refusal, err := s.decide(ctx, tx, e)
	if err != nil || refusal != nil {
		return refusal, err
	}
	if e.asked.MFA && !e.asked.Takes(string(a.Method)) {
		return errOtherFactor, nil
	}
	a.Asked = e.asked
	return nil, nil
}

// present records a reauthentication in a session and rotates its refresh token. If nothing
// was proved before the second factor, its methods are added to those of the session. It fails
// with session.ErrRules if the session does not meet the sign-in rules of its workspace.
func (s *Service) present(ctx context.Context, tx Repos, w Waiting, by []string) (Opened, error) {
	held, err := tx.Sessions.ByID(ctx, w.Session)
	if err != nil {
		return Opened{}, err
	}
	before := held.Snapshot()
	if len(w.AMR) == 0 {
		w.AMR = before.AMR
	}
	now := s.Clock.Now()
	refresh, digest := s.Refresh.Make(w.Session)
	if err := held.Reauthenticate(digest, Joined(w.AMR, by...), now); err != nil {
		return Opened{}, err
	}
	if !w.Switch {
		w.Org = before.OrgID
	}
	who, err := tx.Entrants.Entrant(ctx, signin.LoginTarget{Person: w.UserID, Org: w.Org})
	switch {
	case err != nil:
		return Opened{}, err
	case who.Member == nil:
		return Opened{}, workspace.ErrNotFound
	case w.Switch:
		err = s.enterPresent(ctx, tx, who, held, w)
	case !before.Meets(w.Org, who.Entry.Rules):
		err = session.ErrRules
	}
	if err != nil {
		return Opened{}, err
	}
	if err := tx.Sessions.Save(ctx, held); err != nil {
		return Opened{}, err
	}
	return Opened{User: who.User.Snapshot(), Session: held.Snapshot(), Held: who.Held, Refresh: refresh}, nil
}

// enterPresent switches a session whose person gave the second factor that was missing.
func (s *Service) enterPresent(ctx context.Context, tx Repos, who signin.Entrant, held *session.Session, w Waiting) error {
	if err := admit(who, held.Snapshot().AMR); err != nil {
		return err
	}
	held.Enter(w.Org)
	bind(held, w.Asked, s.Clock.Now())
	meet(held, who, w.Revision)
	return remember(ctx, tx, who)
}
