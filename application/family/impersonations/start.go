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
	UserID     user.ID              `json:"user_id" doc:"Whom to act as: neither a superadmin nor yourself."`
	Reason     impersonation.Reason `json:"reason" doc:"Why, such as the ticket that it is about. The person is shown it."`
	TTLMinutes int                  `json:"ttl_minutes,omitzero" doc:"For how many minutes; absent: 15, or less where the session policy says so." jsonschema:"minimum=1,maximum=60"`
	ReadOnly   bool                 `json:"read_only,omitzero" doc:"Change nothing: commands that write are refused."`
}

// StartResult is the result of IMPERSONATION.START.
type StartResult struct {
	AccessToken   secret.Shown  `json:"access_token" doc:"Bearer token by which to act. Its sub is the person, its act.sub who acts; no refresh token goes with it."`
	ExpiresIn     int           `json:"expires_in" doc:"Seconds until the token and the impersonation end."`
	Impersonation Impersonation `json:"impersonation" doc:"What was begun."`
}

// wish is a START that is let through: who is to be acted as where, under which policy.
type wish struct {
	StartParams

	as    signin.Entering
	rules policy.Session
}

// begun is an impersonation before its token is signed.
type begun struct {
	impersonation impersonation.Snapshot
	session       session.Snapshot
	person        user.Snapshot
	held          role.Holding
}

func (s *Service) start() command.Definition {
	return command.Define(command.Spec[StartParams, StartResult]{
		Name: "IMPERSONATION.START",
		Summary: "Act as a person for support: an access token of theirs for some minutes, which nothing renews. What is for the person alone, such as passwords, factors, keys and consents, is refused to it. " +
			"The person is told; the true actor stands in the token and in all that is logged.",
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
			org, err := s.Login.Lendable(ctx, call, p.UserID)
			if err != nil {
				return StartResult{}, err
			}
			var b begun
			err = s.Unit.Do(ctx, func(tx Repos) (err error) {
				b, err = s.begin(ctx, tx, call, wish{p, signin.Entering{Person: p.UserID, Org: org}, rules.Session})
				return err
			})
			if err != nil {
				return StartResult{}, err
			}
			return s.hand(ctx, b, call.Caller.Profile.DisplayName)
		},
	})
}

// begin stores an impersonation and the session that is lent for it. The person's account is stored,
// too: whoever disables it meanwhile, makes it a superadmin's or takes the consent back does so first,
// or is seen.
func (s *Service) begin(ctx context.Context, tx Repos, call command.Call, p wish) (begun, error) {
	person, err := tx.Entrants.Entrant(ctx, p.as)
	if err != nil {
		return begun{}, err
	}
	if person.Member == nil {
		return begun{}, user.ErrNotFound // the account goes with its workspace
	}
	allowed, err := tx.Impersonations.AllowedUntil(ctx, p.UserID)
	if err != nil {
		return begun{}, err
	}
	now, org := s.Clock.Now(), p.as.Org
	of := session.NewID(s.IDs)
	made, err := impersonation.Start(impersonation.Wish{
		ID: impersonation.NewID(s.IDs), Person: person.User.Snapshot(), Actor: call.Caller.User, Org: org, Session: of, Through: call.Caller.Session,
		Reason: p.Reason, ReadOnly: p.ReadOnly, Life: time.Duration(p.TTLMinutes) * time.Minute, AllowedUntil: allowed,
	}, p.rules, now)
	if err != nil {
		return begun{}, err
	}
	lent := session.Lend(session.Start{
		ID: of, UserID: p.UserID, OrgID: org, IP: call.IP, UserAgent: call.UserAgent,
	}, call.Caller.User, made.Snapshot().ExpiresAt, now)
	if err := tx.Users.Save(ctx, person.User); err != nil {
		return begun{}, err
	}
	if err := tx.Sessions.Save(ctx, lent); err != nil {
		return begun{}, err
	}
	return begun{made.Snapshot(), lent.Snapshot(), person.User.Snapshot(), person.Held}, tx.Impersonations.Save(ctx, made)
}

// hand signs the token of an impersonation.
func (s *Service) hand(ctx context.Context, b begun, actor string) (StartResult, error) {
	now := s.Clock.Now()
	held, err := s.Books.Standing(ctx, b.held, now)
	if err != nil {
		return StartResult{}, err
	}
	signed, life, err := s.Access.Issue(ctx, b.session, b.person, held)
	return StartResult{AccessToken: signed, ExpiresIn: life, Impersonation: show(b.impersonation, actor, now)}, err
}
