package login

import (
	"cmp"
	"context"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// stage is one step of a sign-in.
type stage struct {
	name string
	do   func(ctx context.Context, tx Repos, e *entry) error
	// always reports whether the stage also runs after one that ended the sign-in.
	always bool
}

// stages are the steps of every sign-in, in their order (see the documentation of the package).
func (s *Service) stages() []stage {
	return []stage{
		{name: "proof", do: s.proof},
		{name: "lockout", do: s.lockout},
		{name: "account", do: s.account},
		{name: "admission", do: s.admission},
		{name: "risk", do: s.risk},
		{name: "flow", do: s.flow},
		{name: "policy", do: s.policy},
		{name: "factor", do: s.factor},
		{name: "arrival", do: s.arrival},
		{name: "invitation", do: s.invitation},
		{name: "session", do: s.session},
		{name: "events", do: s.events, always: true},
	}
}

// Enter signs in the person of a proof, inside a unit of work, as far as the account and the
// policies allow. A refusal is stored and is part of the result; for an account that was
// created in the same unit of work it is an error instead, so that the account is not created.
func (s *Service) Enter(ctx context.Context, tx Repos, p Proof) (Opened, error) {
	return s.enter(ctx, tx, &entry{Proof: p})
}

// enter runs the stages.
func (s *Service) enter(ctx context.Context, tx Repos, e *entry) (Opened, error) {
	for _, one := range s.stages() {
		if e.ended() && !one.always {
			continue
		}
		if err := one.do(ctx, tx, e); err != nil {
			return Opened{}, err
		}
	}
	return e.opened, nil
}

// entry is a person on the way into a workspace, by a sign-in or within a session. It is the
// proof together with what the stages add to it.
type entry struct {
	Proof

	// waiting is the sign-in that the proof completes with a second factor; nil if there is none.
	waiting *Waiting
	// within is the session that the person is in already; nil for a sign-in. switching reports
	// whether it moves to another workspace, inside whether it acts in the workspace already.
	within            *session.Snapshot
	switching, inside bool
	// home reports whether to enter the personal workspace.
	home bool
	// trigger is that of the flows; empty for the trigger of the command.
	trigger flow.Trigger

	// credential is the current one of an account whose password was given (stage proof).
	credential *credential.Credential
	// who is the account as a member of the workspace org (stage account).
	who signin.Entrant
	org workspace.ID
	// risk is how dangerous the attempt is (stage risk).
	risk assessed
	// asked is what flows demand (stage flow).
	asked flow.Demand
	// actions are required before anything else (stages policy and factor).
	actions []user.Action

	// opened is the outcome, and reason why it is a refusal, for the event log; it is empty if it
	// is none.
	opened Opened
	reason string
}

// ended reports whether a stage has refused the sign-in or asked for a second factor.
func (e *entry) ended() bool { return e.opened.Refusal != nil || e.opened.Challenge != "" }

// refuse ends the sign-in for a reason of package loginevent. The person is answered with the
// error of the door, which discloses nothing, unless there is one to tell.
func (e *entry) refuse(reason string, tell error) {
	e.reason = reason
	e.opened = Opened{Refusal: cmp.Or(tell, e.Refused, error(ErrRefused))}
}

// entering returns the query for the account and the workspace to enter.
func (e *entry) entering() signin.LoginTarget {
	return signin.LoginTarget{Person: e.UserID, Org: e.Org, Home: e.home, Client: device.Kind(e.Call.UserAgent)}
}

// found adds the account and the workspace that it is a member of, if it is.
func (e *entry) found(who signin.Entrant) {
	e.who = who
	if who.Member != nil {
		e.org = who.Member.Snapshot().OrgID
	}
}

// hasFactor reports whether the account has a second factor or a passkey.
func (e *entry) hasFactor() bool { return e.who.Factors.Enrolled() || e.who.Passkey }

// Opened is the outcome of a sign-in before tokens are signed: a session, a challenge or a
// refusal.
type Opened struct {
	User    user.Snapshot
	Session session.Snapshot
	// Held are the person's roles in the workspace of the session.
	Held    role.MemberGrants
	Refresh secret.Shown
	// Actions are required first; a session with actions can be used for nothing else.
	Actions []user.Action
	// Challenge is the token of the challenge, Methods are the factors that answer it.
	Challenge secret.Shown
	Methods   []mfa.Method
	// Refusal is the error to answer; nil if the sign-in is not refused.
	Refusal error
}
