package risk

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	domainrisk "gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// FeedbackSubmitParams are the parameters of RISK.FEEDBACK_SUBMIT.
type FeedbackSubmitParams struct {
	AssessmentID domainrisk.ID      `json:"assessment_id" doc:"ID of the assessment. Another user's requires the permission risk:write and must be an attempt to enter the workspace."`
	Verdict      domainrisk.Verdict `json:"verdict" doc:"Whether the attempt was made by the owner of the account." jsonschema:"enum=mine,enum=not_mine"`
	OrgID        workspace.ID       `json:"org_id,omitzero" doc:"Workspace to act in. Defaults to the active workspace." example:"-"`
}

// FeedbackSubmitResult is the result of RISK.FEEDBACK_SUBMIT.
type FeedbackSubmitResult struct {
	Accepted        bool `json:"accepted" doc:"Always true."`
	SessionsRevoked int  `json:"sessions_revoked" doc:"Number of sessions that ended: 1, or 0 if the attempt started none or its session had already ended."`
}

func (s *Service) feedbackSubmit() command.Definition {
	return command.Define(command.Spec[FeedbackSubmitParams, FeedbackSubmitResult]{
		Name:    "RISK.FEEDBACK_SUBMIT",
		Summary: "Report whether a sign-in attempt was made by the account's owner.",
		Description: "If it was not, the following happens:\n\n" +
			"- The session of the attempt ends and the device is forgotten.\n" +
			"- The account requires a new password.\n" +
			"- For 30 days, signals from the address range of the attempt count twice, for this account only.",
		Access:      access.Anybody().Scoped(writing),
		InWorkspace: true,
		Effect:      command.Writes,
		Withdraws:   true,
		Withdrawing: func(p FeedbackSubmitParams) bool { return p.Verdict == domainrisk.NotMine },
		Emits:       []event.Kind{domainrisk.KindFeedbackSubmitted, session.KindRevoked, device.KindRevoked, user.KindRequiredActionsSet},
		Handle: func(ctx context.Context, call command.Call, p FeedbackSubmitParams) (FeedbackSubmitResult, error) {
			ended := 0
			err := s.Unit.Do(ctx, func(tx Repos) (err error) {
				ended, err = s.judge(ctx, tx, call.Caller, p)
				return err
			})
			return FeedbackSubmitResult{Accepted: err == nil, SessionsRevoked: ended}, err
		},
	})
}

// judge stores a verdict, and returns how many sessions that ended.
func (s *Service) judge(ctx context.Context, tx Repos, caller access.Caller, p FeedbackSubmitParams) (int, error) {
	judged, err := tx.Assessments.ByID(ctx, p.AssessmentID)
	if err != nil {
		return 0, err
	}
	of, ended := judged.Snapshot(), 0
	own := caller.Kind != access.App && of.UserID == caller.User
	if !own {
		if err := mayJudge(ctx, tx, caller, of); err != nil {
			return 0, err
		}
	}
	if p.Verdict == domainrisk.NotMine && of.Verdict != domainrisk.NotMine {
		if ended, err = s.disown(ctx, tx, of, own); err != nil {
			return 0, err
		}
	}
	if !judged.Judge(p.Verdict, ended, s.Clock.Now()) {
		return 0, nil
	}
	return ended, tx.Assessments.Save(ctx, judged)
}

// mayJudge fails with domainrisk.ErrNotFound unless the attempt is one that the caller may judge for
// its person, and with account.ErrShielded.
func mayJudge(ctx context.Context, tx Repos, caller access.Caller, of domainrisk.Snapshot) error {
	if !caller.May(writing) || (!caller.Superadmin && of.OrgID != caller.Org) {
		return domainrisk.ErrNotFound
	}
	_, err := account.Managed(ctx, tx.Users, caller, of.UserID)
	return err
}
