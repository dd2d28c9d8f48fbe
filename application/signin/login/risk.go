package login

import (
	"context"
	"time"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// assessed is the risk assessment of an attempt, if it was assessed (spec/flows.md section 6).
type assessed struct {
	// Facts are the facts that flows can read about it.
	scoring.Facts

	// done reports whether the attempt was assessed.
	done bool
	// kept is the assessment to store; nil if the risk is low.
	kept *risk.Assessment
	// strict reports whether the policy demands a second factor, told whether the person is
	// notified.
	strict, notify bool
}

// stored returns the identifier of the assessment to store, or "".
func (a assessed) stored() risk.ID {
	if a.kept == nil {
		return ""
	}
	return a.kept.Snapshot().ID
}

// risk assesses a login. One that waited for a second factor was assessed before.
func (s *Service) risk(ctx context.Context, tx Repos, e *entry) error {
	if e.waiting == nil {
		return s.assess(ctx, tx, e, e.who.User.Snapshot().Email)
	}
	e.risk.done = true
	if e.waiting.Assessment == "" {
		return nil
	}
	var err error
	if e.risk.kept, err = tx.Assessments.ByID(ctx, e.waiting.Assessment); err != nil {
		return err
	}
	e.risk.notify = e.risk.kept.Snapshot().Score.Level == risk.High && e.Policies.Risk.Notice
	return nil
}

// assess scores an attempt once, after the identity was proved and before a challenge or
// session is created. It reads the store once, or not at all if the policy ignores all
// signals.
func (s *Service) assess(ctx context.Context, tx Repos, e *entry, address email.Address) error {
	rules := e.Policies.Risk
	if e.risk.done || rules.Idle() {
		return nil
	}
	found, err := s.scored(ctx, tx, e, address)
	if err != nil {
		return err
	}
	e.risk.Facts, e.risk.done = found, true
	if found.Level == risk.Low {
		return nil
	}
	high := found.Level == risk.High
	e.risk.strict, e.risk.notify = high && rules.SecondFactor, high && rules.Notice && !found.History.Notified && !e.New
	e.risk.kept = risk.Make(risk.Snapshot{
		ID: risk.NewID(s.IDs), UserID: e.UserID, OrgID: e.org, Trigger: e.attempted(), Score: found.Score,
		IP: e.Call.IP, UserAgent: e.Call.UserAgent, CreatedAt: s.Clock.Now(),
	})
	if e.risk.notify {
		return tx.Notices.Tell(ctx, e.UserID, notice.RiskyLogin, time.Time{})
	}
	return nil
}

// scored scores an attempt.
func (s *Service) scored(ctx context.Context, tx Repos, e *entry, address email.Address) (scoring.Facts, error) {
	attempt := scoring.Attempt{
		User: e.UserID, Email: address, IP: e.Call.IP, UserAgent: e.Call.UserAgent, Device: e.Device,
		CommonPassword: e.CommonPassword, At: s.Clock.Now(), Policies: e.Policies,
	}
	if e.within != nil {
		attempt.BegunWith = &e.within.UserAgent
	}
	return s.Risk.Assess(ctx, tx.Histories, attempt)
}

// weigh returns the facts that flows can read about the risk of an attempt. If the attempt was
// not assessed, it is assessed for them.
func (s *Service) weigh(ctx context.Context, tx Repos, e *entry, address email.Address) (live.Weight, error) {
	found := e.risk.Facts
	if found.Level == "" {
		var err error
		if found, err = s.scored(ctx, tx, e, address); err != nil {
			return live.Weight{}, err
		}
	}
	weight := live.Weight{Score: found.Score.Score, Level: string(found.Level), Failures: found.History.Failures}
	weight.Logins, weight.Addresses = found.History.Lately(s.Clock.Now())
	for _, signal := range found.Signals {
		weight.Signals = append(weight.Signals, string(signal.Name))
	}
	return weight, nil
}

// attempted returns the trigger of the flows that decide about the attempt.
func (e *entry) attempted() flow.Trigger {
	switch {
	case e.trigger != "":
		return e.trigger
	case e.New:
		return flow.Signup
	case e.Arrival != nil:
		return flow.SocialLogin
	case workspace.MethodOf(e.AMR) == workspace.ByPasskey:
		return flow.PasskeyLogin
	default:
		return flow.Login
	}
}

// keep stores the assessment of an attempt with the session that was created, if any.
func (s *Service) keep(ctx context.Context, tx Repos, e *entry, of session.ID) error {
	if e.risk.kept == nil {
		return nil
	}
	e.risk.kept.Opened(of)
	return tx.Assessments.Save(ctx, e.risk.kept)
}
