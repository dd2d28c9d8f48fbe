package sessions

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// RevokedResult is the result of SESSION.BULK_REVOKE, and part of that of SESSION.REVOKE_ALL.
type RevokedResult struct {
	RevokedCount int `json:"revoked_count" doc:"Number of sessions that were revoked."`
}

// RevokeAllParams are the parameters of SESSION.REVOKE_ALL.
type RevokeAllParams struct {
	EndGrants bool `json:"end_grants,omitzero" doc:"Whether to also revoke the access of all apps that you authorized: their OAuth grants, tokens, approved devices and your consents."`
}

// RevokeAllResult is the result of SESSION.REVOKE_ALL.
type RevokeAllResult struct {
	RevokedResult

	GrantsRevoked int `json:"grants_revoked" doc:"Number of OAuth grants that were revoked, each with all its tokens."`
}

func (s *Service) revokeAll() command.Definition {
	return command.Define(command.Spec[RevokeAllParams, RevokeAllResult]{
		Name:        "SESSION.REVOKE_ALL",
		Summary:     "Revoke all of your sessions except the current one.",
		Description: "Use `end_grants` to revoke the access of apps as well.",
		Access:      access.User().InPerson(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{session.KindRevoked, oauth.KindRevoked, oauth.KindConsentRevoked},
		Handle: func(ctx context.Context, call command.Call, p RevokeAllParams) (RevokeAllResult, error) {
			var result RevokeAllResult
			var err error
			if p.EndGrants { // first, as account.Parts says
				if result.GrantsRevoked, err = s.endApps(ctx, call.Caller.User); err != nil {
					return RevokeAllResult{}, err
				}
			}
			result.RevokedCount, err = s.endAll(ctx, people.SessionQuery{
				User: call.Caller.User, Except: call.Caller.Session,
			}, session.ByUser)
			return result, err
		},
	})
}

// endApps ends the access of every app to an account, and returns the number of grants.
func (s *Service) endApps(ctx context.Context, of user.ID) (ended int, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		ended, err = tx.EndApps(ctx, of, session.ByUser, s.Clock.Now())
		return err
	})
	return ended, err
}
