package login

import (
	"context"
	"errors"
	"slices"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Opened is what a login came to: a session whose tokens are yet to be signed, or
// a challenge that is yet to be answered.
type Opened struct {
	User    user.Snapshot
	Session session.Snapshot
	Roles   []string
	Refresh secret.Shown
	// Actions are what is required first; the session is for that alone.
	Actions []user.Action
	// Challenge is the handle of the challenge, Methods how it may be answered.
	Challenge secret.Shown
	Methods   []mfa.Method
}

// Enter lets a person in whose identity was proved, inside a unit of work, as far
// as account and policies allow. Why it refuses is stored and told, or "".
func (s *Service) Enter(ctx context.Context, tx Repos, p Proof) (Opened, string, error) {
	who, err := tx.Entrants.Entrant(ctx, p.entering())
	if err != nil && !errors.Is(err, user.ErrNotFound) {
		return Opened{}, "", err
	}
	// Who guessed a password leaves a trace, whatever workspace they name.
	if reason := s.barred(who); reason != "" {
		return Opened{}, reason, s.Refuse(ctx, tx, p.UserID, reason)
	}
	p.Org = who.Member.Snapshot().OrgID
	own, err := s.ownFactors(ctx, tx, who, p)
	if err != nil {
		return Opened{}, "", err
	}
	if own.missing {
		// The account is stored as open does it: what ends the logins that wait stores it
		// first, so none begins to wait behind the back of that.
		if err := tx.Users.Save(ctx, who.User); err != nil {
			return Opened{}, "", err
		}
		opened, err := s.challenge(ctx, tx, p, own.methods)
		return opened, "", err
	}
	// What open stores is the account as it was read before this, so that a change of
	// its address that crosses the login meets its version.
	if reason, err := s.settle(ctx, tx, p); err != nil || reason != "" {
		return Opened{}, reason, err
	}
	opened, err := s.open(ctx, tx, who, p.requiring(required(who.User.Snapshot(), own, p)))
	if err != nil || p.New {
		return opened, "", err
	}
	return opened, "", tx.Events.Record(ctx, login.Succeeded{UserID: p.UserID, AMR: p.AMR})
}

// barred tells why somebody is not let in, whatever they proved, or "".
func (s *Service) barred(who outbound.Entrant) string {
	switch {
	case who.User == nil:
		return login.UnknownUser
	case !who.User.Snapshot().Usable(s.Clock.Now()):
		return login.UserDisabled
	case who.Member == nil:
		return login.NotAMember
	default:
		return ""
	}
}

// ownFactors are a person's second factors, as far as they bear on a login.
type ownFactors struct {
	methods []mfa.Method
	// any tells that there is one; missing that this login needs one of them.
	any, missing bool
}

// ownFactors tells whether a second factor is missing. A passkey answers a
// challenge, but having one asks for none: it is a way in of its own. While far
// more logins fail than usual, it does ask (contract section 10), and a remembered
// device does not do.
func (s *Service) ownFactors(ctx context.Context, tx Repos, who outbound.Entrant, p Proof) (ownFactors, error) {
	enrolled := who.Factors.Enrolled()
	own := ownFactors{methods: offered(who.Factors, who.Passkey, p.AMR), any: enrolled || who.Passkey}
	spiking := s.Instance.State().Spike.On(s.Clock.Now())
	own.missing = !p.Whole && (enrolled || (who.Passkey && (p.Policies.MFA.Required || spiking)))
	if !own.missing || p.Device.Empty() || p.Policies.MFA.RememberDays == 0 || spiking {
		return own, nil
	}
	now := s.Clock.Now()
	remembered, err := tx.Devices.Recognise(ctx, p.UserID, challenge.Digest(p.Device.Reveal()), p.Policies.MFA.RememberedAfter(now), now)
	own.missing = !remembered
	return own, err
}

// demand is a proof with what is required besides.
type demand struct {
	Proof

	actions []user.Action
}

func (p Proof) requiring(actions []user.Action) demand { return demand{p, actions} }

// required is what the person must do before they are let in.
func required(u user.Snapshot, own ownFactors, p Proof) []user.Action {
	actions := slices.Clone(u.RequiredActions)
	if p.Policies.MFA.Required && !own.any && !slices.Contains(actions, user.EnrollMFA) {
		actions = append(actions, user.EnrollMFA)
	}
	for _, must := range p.Must {
		if !slices.Contains(actions, must) {
			actions = append(actions, must)
		}
	}
	return slices.DeleteFunc(actions, func(a user.Action) bool { return a == user.VerifyEmail && u.EmailVerified })
}

// unfinishedLife is how long somebody has to do what is required of them.
const unfinishedLife = 10 * time.Minute

// unfinishedPolicy is that of a session in which they do it.
func unfinishedPolicy() policy.Session {
	minutes := int(unfinishedLife / time.Minute)
	return policy.Session{IdleMinutes: minutes, AbsoluteMinutes: minutes}
}

// open stores a new session.
func (s *Service) open(ctx context.Context, tx Repos, who outbound.Entrant, p demand) (Opened, error) {
	now := s.Clock.Now()
	who.User.LoggedIn(now)
	if err := tx.Users.Save(ctx, who.User); err != nil {
		return Opened{}, err
	}
	rules := p.Policies.Session
	if len(p.actions) > 0 {
		rules = unfinishedPolicy()
	}
	of := session.NewID(s.IDs)
	refresh, digest := s.Refresh.Make(of)
	begun := session.Begin(session.Start{
		ID: of, UserID: p.UserID, OrgID: p.Org, AMR: p.AMR, IP: p.Call.IP,
		UserAgent: p.Call.UserAgent, Refresh: digest, Policy: rules,
	}, now)
	if err := tx.Sessions.Save(ctx, begun); err != nil {
		return Opened{}, err
	}
	if err := s.greet(ctx, tx, who.Client, p.Proof); err != nil {
		return Opened{}, err
	}
	return Opened{
		User: who.User.Snapshot(), Session: begun.Snapshot(), Roles: who.Member.Roles(now), Refresh: refresh, Actions: p.actions,
	}, nil
}
