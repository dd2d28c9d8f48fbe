package risk

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	domainrisk "gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// EvaluateParams are the parameters of RISK.EVALUATE.
type EvaluateParams struct {
	UserID    user.ID      `json:"user_id,omitzero" doc:"User whose history counts: a member of the workspace or, for a superadmin, any user. Omit to score without a history."`
	IP        netip.Addr   `json:"ip,omitzero" doc:"IP address of the attempt. Omit to leave out signals about addresses." jsonschema:"minLength=2,maxLength=64,example=203.0.113.7"`
	UserAgent string       `json:"user_agent,omitzero" doc:"User agent of the client. Omit to assume a known client." jsonschema:"maxLength=1000"`
	Trigger   flow.Trigger `json:"trigger,omitzero" doc:"Kind of attempt: login, mfa_verify, social_login, passkey_login or signup. For signup, no history counts. Defaults to login." jsonschema:"enum=login,enum=signup,enum=mfa_verify,enum=social_login,enum=passkey_login"`
	At        time.Time    `json:"at,omitzero" doc:"Time of the attempt, at most 90 days before or after now. Defaults to now." example:"-"`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"Workspace to act in. Defaults to the active workspace." example:"-"`
}

// errFuture is returned for a time that no history reaches.
var errFuture = fault.Unfit("/at", "must be at most 90 days before or after now")

func (s *Service) evaluate() command.Definition {
	return command.Define(command.Spec[EvaluateParams, domainrisk.Score]{
		Name:    "RISK.EVALUATE",
		Summary: "Score a hypothetical sign-in attempt.",
		Description: "Use it to tune the risk policy. For another user, only sign-ins to the workspace count. Signals that depend on a password or a " +
			"session are not raised.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p EvaluateParams) (domainrisk.Score, error) {
			attempt, err := s.situation(ctx, call.Caller, p)
			if err != nil {
				return domainrisk.Score{}, err
			}
			var found scoring.Facts
			err = s.Unit.Do(ctx, func(tx Repos) error {
				found, err = s.Scorer.Assess(ctx, tx.Histories, attempt)
				return err
			})
			return found.Score, err
		},
	})
}

// situation returns what the parameters say, within what the caller may know.
func (s *Service) situation(ctx context.Context, caller access.Caller, p EvaluateParams) (scoring.Attempt, error) {
	now := s.Clock.Now()
	attempt := scoring.Attempt{UserAgent: p.UserAgent, AnyClient: p.UserAgent == "", At: now}
	if p.IP.IsValid() {
		attempt.IP = p.IP.Unmap().WithZone("").String()
	}
	if !p.At.IsZero() {
		if p.At.Sub(now).Abs() > domainrisk.Window {
			return attempt, errFuture
		}
		attempt.At = p.At
	}
	var err error
	if p.UserID == "" {
		attempt.Policies, err = s.Policies.OfOrg(ctx, caller.Org)
		return attempt, err
	}
	person, err := s.Readers.WhoseIn(ctx, caller, p.UserID, reading)
	if err != nil {
		return attempt, err
	}
	attempt.Email = person.Email
	if p.Trigger != flow.Signup {
		attempt.User = person.ID
	}
	if own := caller.Kind != access.App && person.ID == caller.User; own || caller.Superadmin {
		attempt.Policies, err = s.Policies.OfUser(ctx, person.ID)
		return attempt, err
	}
	attempt.Within = caller.Org
	attempt.Policies, err = s.Policies.OfOrg(ctx, caller.Org)
	return attempt, err
}
