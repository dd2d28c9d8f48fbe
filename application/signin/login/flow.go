package login

import (
	"context"
	"time"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// flow runs the flows for a login, and refuses one that they deny.
func (s *Service) flow(ctx context.Context, tx Repos, e *entry) error {
	denial, err := s.decide(ctx, tx, e)
	if err != nil || denial == nil {
		return err
	}
	e.refuse(loginevent.FlowBlocked, denial)
	return s.keep(ctx, tx, e, "")
}

// decide runs the flows for a proved identity, before a session or challenge is created. What
// the flows demand is added to the entry; a denial is returned. Nothing else in a unit of work
// runs flows.
func (s *Service) decide(ctx context.Context, tx Repos, e *entry) (*fault.Error, error) {
	if live.Trigger(ctx) == "" {
		return nil, nil
	}
	subjects, err := s.subjects(ctx, tx, e)
	if err != nil {
		return nil, err
	}
	for _, subject := range subjects {
		verdict, err := live.Decide(ctx, subject)
		if err != nil || verdict.Blocked != nil {
			return verdict.Blocked, err
		}
		e.asked = e.asked.And(verdict.Demand)
	}
	return nil, nil
}

// bind applies to a session that continues in another workspace what flows demand there.
func bind(held *session.Session, asked flow.Demand, now time.Time) {
	held.Bind(asked.Claims, time.Duration(asked.IdleMinutes)*time.Minute, time.Duration(asked.AbsoluteMinutes)*time.Minute, now)
}

// factorGiven reports whether a session already meets a demand for a second factor. Sessions
// do not record the method, so a demand for certain methods is never met.
func (s *Service) factorGiven(held session.Snapshot, asked flow.Demand) bool {
	fresh := asked.FreshSeconds == 0 || s.Clock.Now().Sub(held.AuthTime) <= time.Duration(asked.FreshSeconds)*time.Second
	return held.HasFactors() && asked.Methods == nil && fresh
}

// unfulfilled fails if a flow demands an action that has not been completed: only a new login
// creates a session that is limited to required actions.
func unfulfilled(of user.Snapshot, enrolled bool, by flow.Demand) error {
	for _, action := range askedActions(by, enrolled) {
		if action != user.VerifyEmail || !of.EmailVerified {
			return fault.New(fault.Auth, "a flow requires the action "+string(action)+": sign in again to complete it")
		}
	}
	return nil
}

// askedActions returns the actions that flows demand, without enrollment if there is a second
// factor.
func askedActions(by flow.Demand, factor bool) []user.Action {
	var all []user.Action
	for _, action := range by.Actions {
		if a := user.Action(action); a != user.EnrollMFA || !factor {
			all = append(all, a)
		}
	}
	return all
}
