package risk

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	domainrisk "gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// AssessmentListParams are the parameters of RISK.ASSESSMENT_LIST.
type AssessmentListParams struct {
	UserID   user.ID      `json:"user_id,omitzero" doc:"Only attempts on the account of this user. Other users require the permission risk:read, which shows only attempts to enter the workspace. Defaults to you or, for an app or a superadmin, to everyone you can see."`
	IP       netip.Addr   `json:"ip,omitzero" doc:"Only attempts from this IP address." jsonschema:"minLength=2,maxLength=64,example=203.0.113.7"`
	MinScore int          `json:"min_score,omitzero" doc:"Only attempts with this score or more." jsonschema:"minimum=1,maximum=100,example=70"`
	From     time.Time    `json:"from,omitzero" doc:"Only attempts at or after this time."`
	To       time.Time    `json:"to,omitzero" doc:"Only attempts before this time."`
	OrgID    workspace.ID `json:"org_id,omitzero" doc:"Workspace to act in. Defaults to the active workspace." example:"-"`
	page.Params
}

// Assessment is an assessment in results.
type Assessment struct {
	ID        domainrisk.ID `json:"id" doc:"ID of the assessment."`
	UserID    user.ID       `json:"user_id" doc:"User whose account was tried."`
	OrgID     workspace.ID  `json:"org_id" doc:"Workspace that the attempt was to enter."`
	SessionID *session.ID   `json:"session_id" doc:"Session that resulted from the attempt. Null if none."`
	Trigger   flow.Trigger  `json:"trigger" doc:"Kind of attempt."`
	domainrisk.Score
	IP        string              `json:"ip" doc:"IP address of the attempt."`
	UserAgent string              `json:"user_agent" doc:"User agent of the client."`
	Device    string              `json:"device" doc:"Browser and operating system, derived from the user agent. Empty if neither is recognized." jsonschema:"example=Firefox on Windows"`
	CreatedAt time.Time           `json:"created_at" doc:"When the attempt was made."`
	Verdict   *domainrisk.Verdict `json:"verdict" doc:"Verdict submitted with RISK.FEEDBACK_SUBMIT. Null if none." jsonschema:"enum=mine,enum=not_mine"`
	VerdictAt *time.Time          `json:"verdict_at" doc:"When the verdict was submitted. Null if none."`
}

func show(s domainrisk.Snapshot) Assessment {
	shown := Assessment{
		ID: s.ID, UserID: s.UserID, OrgID: s.OrgID, Trigger: s.Trigger, Score: s.Score, IP: s.IP, UserAgent: s.UserAgent,
		Device: device.Describe(s.UserAgent), CreatedAt: s.CreatedAt, VerdictAt: view.Time(s.VerdictAt),
	}
	if s.SessionID != "" {
		shown.SessionID = &s.SessionID
	}
	if s.Verdict != "" {
		shown.Verdict = &s.Verdict
	}
	return shown
}

func (s *Service) assessmentList() command.Definition {
	return command.Define(command.Spec[AssessmentListParams, page.Of[Assessment]]{
		Name:        "RISK.ASSESSMENT_LIST",
		Summary:     "List sign-in attempts of medium or high risk.",
		Description: "Returns the attempts newest first, with the signals behind their scores. They are kept for 90 days.",
		Access:      access.Anybody().Scoped(reading),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p AssessmentListParams) (page.Of[Assessment], error) {
			query, err := s.narrow(ctx, call.Caller, p)
			if err != nil {
				return page.Of[Assessment]{}, err
			}
			list := s.Cursors.List(fmt.Sprintf("RISK.ASSESSMENT_LIST|%s|%v", call.Caller.Subject(), query), p.Params)
			return page.Read(list, func(one domainrisk.Snapshot) string { return one.ID.String() }, show,
				func(before string, most int) ([]domainrisk.Snapshot, error) {
					query.Before, query.Limit = domainrisk.ID(before), most
					return s.Assessments.List(ctx, query)
				})
		},
	})
}

// narrow makes the query of the parameters, within what the caller may see.
func (s *Service) narrow(ctx context.Context, caller access.Caller, p AssessmentListParams) (signin.AssessmentQuery, error) {
	query := signin.AssessmentQuery{User: p.UserID, MinScore: p.MinScore, From: p.From, To: p.To}
	if p.IP.IsValid() {
		query.IP = p.IP.Unmap().WithZone("").String()
	}
	switch person := caller.Kind != access.App; {
	case !p.From.IsZero() && !p.To.IsZero() && p.To.Before(p.From):
		return query, fault.Unfit("/to", "must not be before from")
	case p.UserID == "" && caller.Superadmin:
		return query, nil
	case p.UserID == "" && !person && caller.May(reading):
		query.Org = caller.Org
		return query, nil
	}
	whose, err := s.Readers.WhoseIn(ctx, caller, p.UserID, reading)
	if err != nil {
		return query, err
	}
	if query.User = whose.ID; whose.ID != caller.User && !caller.Superadmin {
		query.Org = caller.Org
	}
	return query, nil
}
