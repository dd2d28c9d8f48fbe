package policies

import (
	"context"
	"time"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/signin"
)

const (
	// mostExamples is how many people are named.
	mostExamples = 10
	// reweighed is how far back attempts are scored anew, at most so many of them, so many at
	// once.
	reweighed     = 30 * 24 * time.Hour
	mostReweighed = 10_000
	weighedAtOnce = 500
)

// touched finds whom a change of one policy touches.
func (s *Service) touched(ctx context.Context, p SetParams, before, after policy.Set) (ops.Touched, error) {
	now := s.Clock.Now()
	switch p.Kind {
	case policy.KindPassword:
		if after.Password.MinLength > before.Password.MinLength || after.Password.MinScore > before.Password.MinScore {
			return s.Impacts.WithPassword(ctx, p.OrgID)
		}
	case policy.KindSession:
		return s.shortened(ctx, p.OrgID, before.Session, after.Session, now)
	case policy.KindMFA:
		return s.asked(ctx, p.OrgID, before.MFA, after.MFA, now)
	case policy.KindLockout:
		if stricter := before.Lockout.MaxFailures > after.Lockout.MaxFailures || before.Lockout.Window() < after.Lockout.Window(); stricter {
			return s.Impacts.WithFailures(ctx, p.OrgID, after.Lockout.MaxFailures, now.Add(-after.Lockout.Window()))
		}
	case policy.KindRisk:
		return s.reweigh(ctx, p.OrgID, before.Risk, after.Risk, now)
	case policy.KindSignup:
		if after.Signup.MustVerify(false) && !before.Signup.MustVerify(false) {
			return s.Impacts.Unproved(ctx)
		}
	}
	return ops.Touched{}, nil
}

// shortened returns those whose sessions are older than they may become.
func (s *Service) shortened(ctx context.Context, org workspace.ID, before, after policy.Session, now time.Time) (ops.Touched, error) {
	var begun, used time.Time
	if after.Absolute() < before.Absolute() {
		begun = now.Add(-after.Absolute())
	}
	if after.Idle() < before.Idle() {
		used = now.Add(-after.Idle())
	}
	if begun.IsZero() && used.IsZero() {
		return ops.Touched{}, nil
	}
	return s.Impacts.WithSession(ctx, org, begun, used, now)
}

// asked returns those who need a second factor that they do not have, or do without no more.
func (s *Service) asked(ctx context.Context, org workspace.ID, before, after policy.MFA, now time.Time) (touched ops.Touched, err error) {
	if after.Required && !before.Required {
		if touched, err = s.Impacts.WithoutFactor(ctx, org); err != nil {
			return touched, err
		}
	}
	if after.RememberDays >= before.RememberDays {
		return touched, nil
	}
	// Who has a device that is remembered has a second factor.
	remembered, err := s.Impacts.WithDevice(ctx, org, after.RememberedAfter(now), now)
	touched.Count += remembered.Count
	touched.Examples = append(touched.Examples, remembered.Examples...)
	return first(touched), err
}

// first names no more than may be named.
func first(t ops.Touched) ops.Touched {
	t.Examples = t.Examples[:min(len(t.Examples), mostExamples)]
	return t
}

// reweigh returns those with an attempt that would be of another level.
func (s *Service) reweigh(ctx context.Context, org workspace.ID, before, after policy.Risk, now time.Time) (ops.Touched, error) {
	var touched ops.Touched
	seen := map[user.ID]bool{}
	query := signin.AssessmentQuery{Org: org, From: now.Add(-reweighed), Limit: weighedAtOnce}
	for range mostReweighed / weighedAtOnce {
		found, err := s.Assessments.List(ctx, query)
		if err != nil {
			return touched, err
		}
		for _, one := range found {
			was, is := risk.LevelOf(one.Score.Weighed(before), before), risk.LevelOf(one.Score.Weighed(after), after)
			if was != is && !seen[one.UserID] {
				seen[one.UserID] = true
				touched.Examples = append(touched.Examples, one.UserID)
			}
		}
		if len(found) < weighedAtOnce {
			break
		}
		query.Before = found[len(found)-1].ID
	}
	touched.Count = len(touched.Examples)
	return first(touched), nil
}
