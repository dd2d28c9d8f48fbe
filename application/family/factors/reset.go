package factors

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// ResetParams are the parameters of MFA.RESET.
type ResetParams struct {
	UserID user.ID `json:"user_id" doc:"ID of the user. Not your own."`
	Reason string  `json:"reason,omitzero" doc:"Reason for the reset. The user can read it in the event log." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=lost the phone"`
}

// ResetResult is the result of MFA.RESET.
type ResetResult struct {
	Removed         int `json:"removed" doc:"Number of second factors removed."`
	SessionsRevoked int `json:"sessions_revoked" doc:"Number of sessions that ended."`
}

func (s *Service) reset() command.Definition {
	return command.Define(command.Spec[ResetParams, ResetResult]{
		Name:    "MFA.RESET",
		Summary: "Remove all second factors of a user who lost them.",
		Description: "Also removes recovery codes and remembered devices, and ends the user's sessions.\n\n" +
			"Passkeys stay, because they may be the only sign-in method. Delete a passkey with WEBAUTHN.REVOKE.",
		Access: access.Holding(manage).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{mfa.KindReset, session.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p ResetParams) (ResetResult, error) {
			var result ResetResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				u, held, err := s.managed(ctx, tx, call.Caller, p.UserID)
				if err != nil {
					return err
				}
				result, err = s.clear(ctx, tx, u, held, p.Reason)
				return err
			})
			return result, err
		},
	})
}

// clear stores the account first, so that a login under way meets that.
func (s *Service) clear(ctx context.Context, tx Repos, u *user.User, held *mfa.Factors, reason string) (ResetResult, error) {
	ended, err := tx.End(ctx, u, account.EndOptions{Reason: session.ByAdmin, Keep: []account.Part{account.Keys, account.Apps}}, s.Clock.Now())
	if err != nil {
		return ResetResult{}, err
	}
	removed := held.Reset(reason)
	if err := tx.Factors.Save(ctx, held); err != nil {
		return ResetResult{}, err
	}
	return ResetResult{Removed: removed, SessionsRevoked: ended.Sessions}, nil
}
