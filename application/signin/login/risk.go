package login

import (
	"context"
	"time"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
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

// assess scores an attempt once, after the identity was proved and before a challenge or
// session is created. It reads the store once, or not at all if the policy ignores all
// signals.
func (s *Service) assess(ctx context.Context, tx Repos, address email.Address, p *Proof) error {
	rules := p.Policies.Risk
	if p.risk.done || rules.Idle() {
		return nil
	}
	found, err := s.scored(ctx, tx, address, *p)
	if err != nil {
		return err
	}
	p.risk.Facts, p.risk.done = found, true
	if found.Level == risk.Low {
		return nil
	}
	high := found.Level == risk.High
	p.risk.strict, p.risk.notify = high && rules.SecondFactor, high && rules.Notice && !found.History.Notified && !p.New
	p.risk.kept = risk.Make(risk.Snapshot{
		ID: risk.NewID(s.IDs), UserID: p.UserID, OrgID: p.Org, Trigger: p.trigger(), Score: found.Score,
		IP: p.Call.IP, UserAgent: p.Call.UserAgent, CreatedAt: s.Clock.Now(),
	})
	if p.risk.notify {
		return tx.Notices.Tell(ctx, p.UserID, notice.RiskyLogin, time.Time{})
	}
	return nil
}

// scored scores an attempt.
func (s *Service) scored(ctx context.Context, tx Repos, address email.Address, p Proof) (scoring.Facts, error) {
	attempt := scoring.Attempt{
		User: p.UserID, Email: address, IP: p.Call.IP, UserAgent: p.Call.UserAgent, Device: p.Device,
		CommonPassword: p.CommonPassword, At: s.Clock.Now(), Policies: p.Policies,
	}
	if p.within != nil {
		attempt.BegunWith = &p.within.UserAgent
	}
	return s.Risk.Assess(ctx, tx.Histories, attempt)
}

// weigh returns the facts that flows can read about the risk of an attempt. If the attempt was
// not assessed, it is assessed for them.
func (s *Service) weigh(ctx context.Context, tx Repos, address email.Address, p Proof) (live.Weight, error) {
	found := p.risk.Facts
	if found.Level == "" {
		var err error
		if found, err = s.scored(ctx, tx, address, p); err != nil {
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

// trigger returns the trigger of the flows that decide about the attempt.
func (p Proof) trigger() flow.Trigger {
	switch {
	case p.Trigger != "":
		return p.Trigger
	case p.New:
		return flow.Signup
	case p.Arrival != nil:
		return flow.SocialLogin
	case workspace.MethodOf(p.AMR) == workspace.ByPasskey:
		return flow.PasskeyLogin
	default:
		return flow.Login
	}
}

// keep stores the assessment of an attempt with the session that was created, if any.
func (s *Service) keep(ctx context.Context, tx Repos, p Proof, of session.ID) error {
	if p.risk.kept == nil {
		return nil
	}
	p.risk.kept.Opened(of)
	return tx.Assessments.Save(ctx, p.risk.kept)
}

// weighUp assesses an attempt and runs the flows for it. A denial is recorded as a failed login
// and returned; for an account that was just created it is an error, which rolls everything
// back.
func (s *Service) weighUp(ctx context.Context, tx Repos, who signin.Entrant, p *Proof) (*fault.Error, error) {
	if err := s.assess(ctx, tx, who.User.Snapshot().Email, p); err != nil {
		return nil, err
	}
	refusal, err := s.decide(ctx, tx, who, p)
	switch {
	case err != nil || refusal == nil:
		return nil, err
	case p.New:
		return nil, refusal
	}
	if err := s.keep(ctx, tx, *p, ""); err != nil {
		return nil, err
	}
	return refusal, s.Refuse(ctx, tx, p.UserID, loginevent.FlowBlocked)
}

// demanded is weighUp for a session that enters another workspace. It reports whether a second
// factor has to be given first. It fails if flows deny the switch or demand an action first.
func (s *Service) demanded(ctx context.Context, tx Repos, who signin.Entrant, p *Proof, within session.Snapshot) (bool, error) {
	p.within = &within
	suspect, err := s.suspect(ctx, tx, who, p)
	if err != nil {
		return false, err
	}
	refusal, err := s.decide(ctx, tx, who, p)
	if err != nil {
		return false, err
	}
	if refusal != nil {
		return false, refusal
	}
	asked := (p.Policies.MFA.Required || who.Entry.MFA || p.Asked.MFA) && !s.factorGiven(within, p.Asked)
	return suspect || asked, unfulfilled(who.User.Snapshot(), who.Factors.Enrolled() || who.Passkey, p.Asked)
}

// suspect assesses the risk of a session that enters another workspace. It reports whether the
// person has a second factor and must give it.
func (s *Service) suspect(ctx context.Context, tx Repos, who signin.Entrant, p *Proof) (bool, error) {
	if err := s.assess(ctx, tx, who.User.Snapshot().Email, p); err != nil {
		return false, err
	}
	return p.risk.strict && (who.Factors.Enrolled() || who.Passkey), s.keep(ctx, tx, *p, p.within.ID)
}

// resumed returns the assessment of a login that waited for a second factor. It is not assessed
// again.
func (s *Service) resumed(ctx context.Context, tx Repos, w Answered) (assessed, error) {
	if w.Assessment == "" {
		return assessed{done: true}, nil
	}
	kept, err := tx.Assessments.ByID(ctx, w.Assessment)
	if err != nil {
		return assessed{}, err
	}
	notify := kept.Snapshot().Score.Level == risk.High && w.Policies.Risk.Notice
	return assessed{done: true, kept: kept, notify: notify}, nil
}

// common reports whether the password was right and is a common one. It is false if the policy
// ignores that.
func (s *Service) common(given comparison, plain secret.String, rules policy.Risk) bool {
	return given.verdict.Match && rules.CommonPassword > 0 && s.Common.Common(plain)
}

// assessment returns the identifier of the assessment to store, or "".
func (p Proof) assessment() risk.ID {
	if p.risk.kept == nil {
		return ""
	}
	return p.risk.kept.Snapshot().ID
}
