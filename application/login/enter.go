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
	"gatehouse.internal/domain/workspace"
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
	u, err := tx.Users.ByID(ctx, p.UserID)
	switch {
	case errors.Is(err, user.ErrNotFound):
		return Opened{}, login.UnknownUser, s.Refuse(ctx, tx, p.UserID, login.UnknownUser)
	case err != nil:
		return Opened{}, "", err
	case !u.Snapshot().Usable(s.Clock.Now()):
		return Opened{}, login.UserDisabled, s.Refuse(ctx, tx, p.UserID, login.UserDisabled)
	}
	member, err := s.membership(ctx, tx, &p)
	// Who guessed a password leaves a trace, whatever workspace they name.
	if errors.Is(err, workspace.ErrNotMember) {
		return Opened{}, login.NotAMember, s.Refuse(ctx, tx, p.UserID, login.NotAMember)
	}
	if err != nil {
		return Opened{}, "", err
	}
	own, err := s.ownFactors(ctx, tx, p)
	if err != nil {
		return Opened{}, "", err
	}
	if own.missing {
		opened, err := s.challenge(ctx, tx, p, own.methods)
		return opened, "", err
	}
	opened, err := s.open(ctx, tx, u, member, p.requiring(required(u.Snapshot(), own, p)))
	if err != nil || p.New {
		return opened, "", err
	}
	return opened, "", tx.Events.Record(ctx, login.Succeeded{UserID: p.UserID, AMR: p.AMR})
}

// membership is the person's place in the workspace that is entered.
func (s *Service) membership(ctx context.Context, tx Repos, p *Proof) (*workspace.Member, error) {
	if p.Org == "" {
		personal, err := tx.Belonging.Personal(ctx, p.UserID)
		if err != nil {
			return nil, err
		}
		p.Org = personal
	}
	return tx.Workspaces.Member(ctx, p.Org, p.UserID)
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
func (s *Service) ownFactors(ctx context.Context, tx Repos, p Proof) (ownFactors, error) {
	held, err := tx.Factors.ByUser(ctx, p.UserID)
	if err != nil {
		return ownFactors{}, err
	}
	passkey, err := tx.Factors.HasPasskey(ctx, p.UserID)
	if err != nil {
		return ownFactors{}, err
	}
	own := ownFactors{methods: offered(held, passkey, p.AMR), any: held.Enrolled() || passkey}
	spiking := s.Instance.State().Spike.On(s.Clock.Now())
	own.missing = !p.Whole && (held.Enrolled() || (passkey && (p.Policies.MFA.Required || spiking)))
	if !own.missing || p.Device.Empty() || p.Policies.MFA.RememberDays == 0 || spiking {
		return own, nil
	}
	remembered, err := tx.Devices.Recognise(ctx, p.UserID, challenge.Digest(p.Device.Reveal()), s.Clock.Now())
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
func (s *Service) open(ctx context.Context, tx Repos, u *user.User, member *workspace.Member, p demand) (Opened, error) {
	now := s.Clock.Now()
	u.LoggedIn(now)
	if err := tx.Users.Save(ctx, u); err != nil {
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
	if err := s.greet(ctx, tx, p.Proof); err != nil {
		return Opened{}, err
	}
	return Opened{
		User: u.Snapshot(), Session: begun.Snapshot(), Roles: member.Roles(now), Refresh: refresh, Actions: p.actions,
	}, nil
}
