package risk

import (
	"context"
	"errors"
	"slices"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	score "gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// FeedbackSubmitParams are the parameters of RISK.FEEDBACK_SUBMIT.
type FeedbackSubmitParams struct {
	AssessmentID score.ID      `json:"assessment_id" doc:"The attempt; another person's needs risk:write, and must be one to enter the workspace."`
	Verdict      score.Verdict `json:"verdict" doc:"Whether it was the person of the account." jsonschema:"enum=mine,enum=not_mine"`
	OrgID        workspace.ID  `json:"org_id,omitzero" doc:"Workspace to act in; absent: the active one." example:"-"`
}

// FeedbackSubmitResult is the result of RISK.FEEDBACK_SUBMIT.
type FeedbackSubmitResult struct {
	Accepted        bool `json:"accepted" doc:"Always true."`
	SessionsRevoked int  `json:"sessions_revoked" doc:"How many sessions that ended: 1, or 0 where none came of the attempt, or it has ended."`
}

func (s *Service) feedbackSubmit() command.Definition {
	return command.Define(command.Spec[FeedbackSubmitParams, FeedbackSubmitResult]{
		Name: "RISK.FEEDBACK_SUBMIT",
		Summary: "Say whether an attempt to log in was the person of the account. If not, its session ends, the device is forgotten, a new password is required, " +
			"and what comes from its address range weighs twice for 30 days, for that account alone.",
		Access:      access.Anybody().Scoped(writing),
		InWorkspace: true,
		Effect:      command.Writes,
		Emits:       []event.Kind{score.KindFeedbackSubmitted, session.KindRevoked, device.KindRevoked, user.KindRequiredActionsSet},
		Handle: func(ctx context.Context, call command.Call, p FeedbackSubmitParams) (FeedbackSubmitResult, error) {
			ended := 0
			err := s.Unit.Do(ctx, func(tx Repos) error {
				judged, err := tx.Assessments.ByID(ctx, p.AssessmentID)
				if err != nil {
					return err
				}
				ended = 0
				of := judged.Snapshot()
				own := call.Caller.Kind != access.App && of.UserID == call.Caller.User
				if !own {
					if err := mayJudge(ctx, tx, call.Caller, of); err != nil {
						return err
					}
				}
				if p.Verdict == score.NotMine && of.Verdict != score.NotMine {
					if ended, err = s.disown(ctx, tx, of, own); err != nil {
						return err
					}
				}
				if !judged.Judge(p.Verdict, ended, s.Clock.Now()) {
					return nil
				}
				return tx.Assessments.Save(ctx, judged)
			})
			return FeedbackSubmitResult{Accepted: err == nil, SessionsRevoked: ended}, err
		},
	})
}

// mayJudge fails with score.ErrNotFound unless the attempt is one that the caller may judge for
// its person, and with account.ErrShielded.
func mayJudge(ctx context.Context, tx Repos, caller access.Caller, of score.Snapshot) error {
	if !caller.May(writing) || (!caller.Superadmin && of.OrgID != caller.Org) {
		return score.ErrNotFound
	}
	_, err := account.Managed(ctx, tx.Users, caller, of.UserID)
	return err
}

// disown undoes what an attempt came to that was somebody else's: its session, the logins that
// wait, what is known of the device, and the password that was given. It returns how many
// sessions ended.
func (s *Service) disown(ctx context.Context, tx Repos, of score.Snapshot, own bool) (int, error) {
	ended, err := s.end(ctx, tx, of, own)
	if err != nil {
		return 0, err
	}
	if err := tx.Challenges.Drop(ctx, of.UserID, challenge.SecondFactor); err != nil {
		return 0, err
	}
	with := device.Kind(of.UserAgent)
	held, err := tx.Devices.Held(ctx, of.UserID, s.Clock.Now())
	if err != nil {
		return 0, err
	}
	for _, one := range held {
		if device.Kind(one.Snapshot().UserAgent) != with {
			continue
		}
		one.Revoke()
		if err := tx.Devices.Remove(ctx, one); err != nil {
			return 0, err
		}
	}
	if err := tx.Clients.Drop(ctx, of.UserID, with); err != nil {
		return 0, err
	}
	return ended, s.requirePassword(ctx, tx, of.UserID)
}

// end ends the session that came of an attempt.
func (s *Service) end(ctx context.Context, tx Repos, of score.Snapshot, own bool) (int, error) {
	if of.SessionID == "" {
		return 0, nil
	}
	held, err := tx.Sessions.ByID(ctx, of.SessionID)
	now := s.Clock.Now()
	switch {
	case errors.Is(err, session.ErrNotFound) || err == nil && !held.Active(now):
		return 0, nil
	case err != nil:
		return 0, err
	}
	reason := session.ByAdmin
	if own {
		reason = session.ByUser
	}
	held.End(reason, now)
	return 1, tx.Sessions.Save(ctx, held)
}

// requirePassword requires a new password of an account that has one.
func (s *Service) requirePassword(ctx context.Context, tx Repos, of user.ID) error {
	secured, err := tx.Credentials.ByUser(ctx, of)
	if err != nil || secured.Hash() == "" {
		return err
	}
	u, err := tx.Users.ByID(ctx, of)
	if err != nil {
		return err
	}
	actions := u.Snapshot().RequiredActions
	if slices.Contains(actions, user.ChangePassword) {
		return nil
	}
	u.Require(append(slices.Clone(actions), user.ChangePassword), s.Clock.Now())
	return tx.Users.Save(ctx, u)
}
