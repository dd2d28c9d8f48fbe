package login

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// ErrEnrollFirst is returned for an attempt to switch to a workspace that requires a second factor if the account
// has none.
var ErrEnrollFirst = fault.New(fault.Auth, "the workspace requires a second factor: add an authenticator app with AUTH.MFA_SETUP_TOTP or a passkey, then switch again")

// admit fails if maintenance keeps the person out, or if the workspace does not admit them.
// While the instance is closed only superadmins sign in, and no mode but off lets a login
// create an account.
func (s *Service) admit(who signin.Entrant, p Proof) error {
	held, now := s.Instance.State().Maintenance, s.Clock.Now()
	mode := held.InForce(now)
	if mode == maintenance.Closed && !who.User.Snapshot().Superadmin || mode != maintenance.Off && p.New {
		return held.Refusal(now)
	}
	return admit(who, p.AMR)
}

// admit fails if the workspace does not admit a person. A superadmin may enter a suspended
// workspace.
func admit(who signin.Entrant, amr []string) error {
	entry := who.Entry
	entry.Disabled = entry.Disabled && !who.User.Snapshot().Superadmin
	return entry.Admit(workspace.MethodOf(amr))
}

// entrant reads the account of a proved identity, as a member of the workspace to enter. If
// no workspace is named and the last active one does not admit the person, that is the
// personal one. If the named workspace has verified the domain of their address, they become
// a member of it.
func (s *Service) entrant(ctx context.Context, tx Repos, p Proof) (signin.Entrant, error) {
	which := p.entering()
	who, err := tx.Entrants.Entrant(ctx, which)
	if err == nil && p.Org != "" && who.Member == nil {
		if joined, err := s.join(ctx, tx, who, p.Org); err != nil || joined == "" {
			return who, err
		}
		return tx.Entrants.Entrant(ctx, which)
	}
	if err != nil || p.Org != "" || who.Member == nil || admit(who, p.AMR) == nil {
		return who, err
	}
	which.Home = true
	return tx.Entrants.Entrant(ctx, which)
}

// join makes a person a member of the workspace that has verified the domain of their address,
// and returns that workspace, or "" if there is none. If only is set, no other workspace is
// considered. It costs nothing if no domain of the instance admits members.
func (s *Service) join(ctx context.Context, tx Repos, who signin.Entrant, only workspace.ID) (workspace.ID, error) {
	if !who.Joins {
		return "", nil
	}
	return tx.Domains.Join(ctx, who.User.Snapshot(), only, s.Clock.Now())
}

// remember records the last active workspace of a person if it has changed.
func remember(ctx context.Context, tx Repos, who signin.Entrant) error {
	if who.LastActive {
		return nil
	}
	m := who.Member.Snapshot()
	return tx.Entrants.Remember(ctx, m.UserID, m.OrgID)
}

// Switch makes another workspace the active one of the caller's session. If a second factor
// is required there, the outcome is a challenge. It fails with workspace.ErrNotFound, like
// workspace.Entry.Admit, or with ErrEnrollFirst.
func (s *Service) Switch(ctx context.Context, call command.Call, to workspace.ID) (Outcome, error) {
	p := Proof{UserID: call.Caller.User, Org: to, Call: call, Switching: true}
	policies, err := s.Policies.OfUser(ctx, p.UserID)
	if err != nil {
		return Outcome{}, err
	}
	p.Policies = policies
	var opened Opened
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Sessions.ByID(ctx, call.Caller.Session)
		if err != nil {
			return err
		}
		p.AMR, p.risk = held.Snapshot().AMR, assessed{}
		who, err := s.enterable(ctx, tx, p)
		if err != nil {
			return err
		}
		missing, err := s.demanded(ctx, tx, who, &p, held.Snapshot())
		if err != nil {
			return err
		}
		if missing {
			opened, err = s.challengeSwitch(ctx, tx, who, held.ID(), p)
			return err
		}
		bind(held, p.Asked, s.Clock.Now())
		if p.risk.done && p.elsewhere() {
			held.GoOnWith(call.UserAgent)
		}
		opened, err = s.moveTo(ctx, tx, who, held, call.Revision)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return s.Answer(ctx, opened, "", nil)
}

// enterable reads the account of a proof, and fails if the workspace does not admit it.
func (s *Service) enterable(ctx context.Context, tx Repos, p Proof) (signin.Entrant, error) {
	who, err := tx.Entrants.Entrant(ctx, p.entering())
	switch {
	case err != nil:
		return who, err
	case who.Member == nil:
		return who, workspace.ErrNotFound
	}
	return who, admit(who, p.AMR)
}

// challengeSwitch opens a challenge for the second factor that a workspace requires.
func (s *Service) challengeSwitch(ctx context.Context, tx Repos, who signin.Entrant, of session.ID, p Proof) (Opened, error) {
	now, asked := s.Clock.Now(), p.Asked
	methods := slices.DeleteFunc(offered(who.Factors, who.Passkey, nil, now), func(m mfa.Method) bool { return !asked.Takes(string(m)) })
	if len(methods) == 0 {
		return Opened{}, ErrEnrollFirst
	}
	m := who.Member.Snapshot()
	return s.await(ctx, tx, Waiting{
		UserID: m.UserID, Org: m.OrgID, Session: of, Switch: true, NoMail: distrusted(who.Factors, who.Passkey, now),
		Asked: asked, Only: asked.Methods, Revision: p.Call.Revision,
	}, methods)
}

// moveTo switches a session that met the sign-in rules of the workspace at a revision.
func (s *Service) moveTo(ctx context.Context, tx Repos, who signin.Entrant, held *session.Session, revision int64) (Opened, error) {
	now, to := s.Clock.Now(), who.Member.Snapshot().OrgID
	refresh, digest := s.Refresh.Successor(held.ID(), held.Snapshot().Refresh)
	if err := held.Switch(to, digest, now); err != nil {
		return Opened{}, err
	}
	meet(held, who, revision)
	if err := tx.Sessions.Save(ctx, held); err != nil {
		return Opened{}, err
	}
	return Opened{User: who.User.Snapshot(), Session: held.Snapshot(), Held: who.Held, Refresh: refresh}, remember(ctx, tx, who)
}
