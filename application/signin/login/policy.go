package login

import (
	"context"
	"slices"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
)

// policy adds the actions that must be completed before anything else.
func (s *Service) policy(_ context.Context, _ Repos, e *entry) error {
	e.actions = e.required()
	return nil
}

// factorRequired reports whether the policies of the account or the workspace require a second
// factor.
func (e *entry) factorRequired() bool { return e.Policies.MFA.Required || e.who.Entry.MFA }

// required returns the actions that must be completed first.
func (e *entry) required() []user.Action {
	account := e.who.User.Snapshot()
	actions := slices.Clone(account.RequiredActions)
	if e.Policies.Signup.MustVerify(account.EmailVerified) {
		// Verification comes first, because nothing else is allowed before it.
		actions = slices.DeleteFunc(actions, func(a user.Action) bool { return a == user.VerifyEmail })
		actions = slices.Insert(actions, 0, user.VerifyEmail)
	}
	if e.factorRequired() && !e.hasFactor() && !slices.Contains(actions, user.EnrollMFA) {
		actions = append(actions, user.EnrollMFA)
	}
	for _, must := range slices.Concat(e.Must, askedActions(e.asked, e.hasFactor())) {
		if !slices.Contains(actions, must) {
			actions = append(actions, must)
		}
	}
	return slices.DeleteFunc(actions, func(a user.Action) bool { return a == user.VerifyEmail && account.EmailVerified })
}

// sessionPolicy returns how long the session lasts.
func (e *entry) sessionPolicy() policy.Session {
	if len(e.actions) > 0 {
		return unfinishedPolicy()
	}
	rules := e.Policies.Session
	rules.IdleMinutes = flow.Shorter(rules.IdleMinutes, e.asked.IdleMinutes)
	rules.AbsoluteMinutes = flow.Shorter(rules.AbsoluteMinutes, e.asked.AbsoluteMinutes)
	return rules
}

// unfinishedLife is how long a session lasts that is only for required actions.
const unfinishedLife = 10 * time.Minute

// unfinishedPolicy returns the session policy while actions are required.
func unfinishedPolicy() policy.Session {
	minutes := int(unfinishedLife / time.Minute)
	return policy.Session{IdleMinutes: minutes, AbsoluteMinutes: minutes}
}
