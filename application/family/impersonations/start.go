package impersonations

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// StartParams are the parameters of IMPERSONATION.START.
type StartParams struct {
	UserID     user.ID              `json:"user_id" doc:"User to impersonate. Neither a superadmin nor yourself."`
	Reason     impersonation.Reason `json:"reason" doc:"Reason, such as the support ticket. It is shown to the user."`
	TTLMinutes int                  `json:"ttl_minutes,omitzero" doc:"Minutes until the impersonation expires. Defaults to 15, or less if the session policy allows less." jsonschema:"minimum=1,maximum=60"`
	ReadOnly   bool                 `json:"read_only,omitzero" doc:"Whether to refuse commands that change anything."`
}

// StartResult is the result of IMPERSONATION.START.
type StartResult struct {
	AccessToken   secret.Shown  `json:"access_token" doc:"Bearer token for the impersonation. Its sub claim is the user and its act.sub claim is you. There is no refresh token."`
	ExpiresIn     int           `json:"expires_in" doc:"Seconds until the token and the impersonation expire."`
	Impersonation Impersonation `json:"impersonation" doc:"The impersonation that was started."`
}

// startRequest is a START that is let through: who is to be acted as where, under which policy.
type startRequest struct {
	StartParams

	as    signin.LoginTarget
	rules policy.Session
}

// startedImpersonation is an impersonation before its token is signed.
type startedImpersonation struct {
	impersonation impersonation.Snapshot
	session       session.Snapshot
	person        user.Snapshot
	held          role.MemberGrants
}

func (s *Service) start() command.Definition {
	return command.Define(command.Spec[StartParams, StartResult]{
		Name:    "IMPERSONATION.START",
		Summary: "Start impersonating a user for support.",
		Description: "Returns an access token for the user that is valid for some minutes and cannot be renewed. The user is notified. The token and " +
			"all logs name you as the actor.\n\n" +
			"Commands that are reserved for the user in person are refused, such as those for passwords, second factors, keys and consents.",
		Access:  access.Holding(acting).InPerson().Recent(),
		Effect:  command.Writes,
		Trigger: flow.Login,
		Quiet:   true,
		Limits:  []limit.Spec{limit.PerMinute(limit.Token, 20)}, // each is a mail
		Emits:   []event.Kind{impersonation.KindStarted},
		Handle: func(ctx context.Context, call command.Call, p StartParams) (StartResult, error) {
			rules, err := s.Policies.OfUser(ctx, p.UserID)
			if err != nil {
				return StartResult{}, err
			}
			org, err := s.Login.Impersonable(ctx, call, p.UserID)
			if err != nil {
				return StartResult{}, err
			}
			var b startedImpersonation
			err = s.Unit.Do(ctx, func(tx Repos) (err error) {
				b, err = s.begin(ctx, tx, call, startRequest{p, signin.LoginTarget{Person: p.UserID, Org: org}, rules.Session})
				return err
			})
			if err != nil {
				return StartResult{}, err
			}
			return s.hand(ctx, b, call.Caller.Profile.DisplayName)
		},
	})
}

// begin stores an impersonation and its session. It also stores the person's account, so that a
// concurrent change that disables the account, makes it a superadmin's or revokes the consent either
// comes first or conflicts.
func (s *Service) begin(ctx context.Context, tx Repos, call command.Call, p startRequest) (startedImpersonation, error) {
	person, err := tx.Entrants.Entrant(ctx, p.as)
	if err != nil {
		return startedImpersonation{}, err
	}
	if person.Member == nil {
		return startedImpersonation{}, user.ErrNotFound // the account goes with its workspace
	}
	allowed, err := tx.Impersonations.AllowedUntil(ctx, p.UserID)
	if err != nil {
		return startedImpersonation{}, err
	}
	now, org := s.Clock.Now(), p.as.Org
	of := session.NewID(s.IDs)
	made, err := impersonation.Start(impersonation.Draft{
		ID: impersonation.NewID(s.IDs), Person: person.User.Snapshot(), Actor: call.Caller.User, Org: org, Session: of, Through: call.Caller.Session,
		Reason: p.Reason, ReadOnly: p.ReadOnly, Life: time.Duration(p.TTLMinutes) * time.Minute, AllowedUntil: allowed,
	}, p.rules, now)
	if err != nil {
		return startedImpersonation{}, err
	}
	impersonated := session.Impersonate(session.Start{
		ID: of, UserID: p.UserID, OrgID: org, IP: call.IP, UserAgent: call.UserAgent,
	}, call.Caller.User, made.Snapshot().ExpiresAt, now)
	if err := tx.Users.Save(ctx, person.User); err != nil {
		return startedImpersonation{}, err
	}
	if err := tx.Sessions.Save(ctx, impersonated); err != nil {
		return startedImpersonation{}, err
	}
	return startedImpersonation{made.Snapshot(), impersonated.Snapshot(), person.User.Snapshot(), person.Held}, tx.Impersonations.Save(ctx, made)
}

// hand signs the token of an impersonation.
func (s *Service) hand(ctx context.Context, b startedImpersonation, actor string) (StartResult, error) {
	now := s.Clock.Now()
	held, err := s.Books.Standing(ctx, b.held, now)
	if err != nil {
		return StartResult{}, err
	}
	signed, life, err := s.Access.Issue(ctx, b.session, b.person, held)
	return StartResult{AccessToken: signed, ExpiresIn: life, Impersonation: show(b.impersonation, actor, now)}, err
}
