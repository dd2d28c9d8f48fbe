package passkeys

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
)

// RevokeParams are the parameters of WEBAUTHN.REVOKE.
type RevokeParams struct {
	CredentialID passkey.ID `json:"credential_id" doc:"ID of the passkey to delete. Another user's passkey requires the permission users:manage."`
}

// RevokeResult is the result of WEBAUTHN.REVOKE.
type RevokeResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:    "WEBAUTHN.REVOKE",
		Summary: "Delete a passkey.",
		Description: "The passkey no longer signs anyone in, and pending sign-ins of its owner end. Requires a sign-in within the last 15 minutes, " +
			"with your second factor if you have one.\n\n" +
			"- The last sign-in method of an account cannot be deleted. Neither can your last second factor while a policy requires one.\n" +
			"- Sessions continue, including those started with the passkey. End yours with SESSION.REVOKE_ALL, or another user's with " +
			"SESSION.BULK_REVOKE.",
		Access:    access.User().InPerson().Recent(),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{passkey.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p RevokeParams) (RevokeResult, error) {
			policies, err := s.Policies.OfUser(ctx, call.Caller.User)
			if err != nil {
				return RevokeResult{}, err
			}
			on, err := s.Providers.Enabled(ctx)
			if err != nil {
				return RevokeResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				return remove(ctx, tx, call.Caller, p.CredentialID, remainingRules{factor: policies.MFA.Required, providers: on})
			})
			if err != nil {
				return RevokeResult{}, err
			}
			return RevokeResult{Revoked: true}, nil
		},
	})
}

// remainingRules are what must be left of an account: a second factor, or only a way in, of
// which a linked identity is one while its provider is switched on.
type remainingRules struct {
	factor    bool
	providers []string
}

// remove deletes a passkey that the caller may revoke, unless it is the last way in.
func remove(ctx context.Context, tx Repos, caller access.Caller, id passkey.ID, keep remainingRules) error {
	p, reason, err := revocable(ctx, tx, caller, id)
	if err != nil {
		return err
	}
	p.Revoke(reason)
	if err := tx.Passkeys.Remove(ctx, p); err != nil {
		return err
	}
	owner := p.Snapshot().UserID
	if _, err := account.DropLogins(ctx, tx.Challenges, owner); err != nil {
		return err
	}
	left, err := tx.LoginMethods.Left(ctx, owner, keep.providers)
	if err == nil && !left {
		return passkey.ErrLast
	}
	if err != nil || reason != passkey.ByUser || !keep.factor {
		return err
	}
	return factorLeft(ctx, tx, owner)
}

// revocable reads a passkey that the caller may revoke, and why it would be. One that
// is somebody else's is passkey.ErrNotFound without users:manage.
func revocable(ctx context.Context, tx Repos, caller access.Caller, id passkey.ID) (*passkey.Passkey, string, error) {
	p, err := tx.Passkeys.ByID(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if p.OwnedBy(caller.User) {
		return p, passkey.ByUser, nil
	}
	if !caller.May(account.Manage) {
		return nil, "", passkey.ErrNotFound
	}
	_, err = account.Managed(ctx, tx.Users, caller, p.Snapshot().UserID)
	return p, passkey.ByAdmin, err
}

// factorLeft fails with mfa.ErrRequired when somebody has no second factor left.
func factorLeft(ctx context.Context, tx Repos, owner user.ID) error {
	held, err := tx.Factors.ByUser(ctx, owner)
	if err != nil || held.Enrolled() {
		return err
	}
	another, err := tx.Factors.HasPasskey(ctx, owner)
	if err == nil && !another {
		return mfa.ErrRequired
	}
	return err
}
