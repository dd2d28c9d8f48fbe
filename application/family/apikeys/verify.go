package apikeys

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// VerifyParams are the parameters of API_KEY.VERIFY.
type VerifyParams struct {
	Key    secret.String `json:"key" doc:"The key that somebody presented to you." jsonschema:"minLength=1,maxLength=512"`
	Scopes []string      `json:"scopes,omitzero" doc:"Permissions that it needs, or patterns of them." jsonschema:"maxItems=100,uniqueItems=true,minLength=1,maxLength=64,example=apps:read"`
}

// VerifyResult is the result of API_KEY.VERIFY.
type VerifyResult struct {
	Valid         bool          `json:"valid" doc:"Whether it is a key of your workspace that may be used now. If not, nothing else is told."`
	UserID        *user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID         *workspace.ID `json:"org_id" doc:"The workspace it acts in: yours."`
	Scopes        []string      `json:"scopes" doc:"What it may do now: its scopes as far as its user holds them."`
	MissingScopes []string      `json:"missing_scopes" doc:"What you asked for and it may not do. Refuse the call unless this is empty."`
	ExpiresAt     *time.Time    `json:"expires_at" doc:"When it ends by itself; null: never."`
}

func (s *Service) verify() command.Definition {
	return command.Define(command.Spec[VerifyParams, VerifyResult]{
		Name: "API_KEY.VERIFY",
		Summary: "Check a user's API key that was presented to a resource server, and the scopes it needs there. " +
			"The networks it may be used from are not checked: only the resource server knows where the call came from.",
		Access:  access.Client("api_keys:verify"),
		Effect:  command.Writes,
		Through: maintenance.Closed, // as M2M.INTROSPECT: it writes when the key was used
		Handle: func(ctx context.Context, call command.Call, p VerifyParams) (VerifyResult, error) {
			if err := known(p.Scopes); err != nil {
				return VerifyResult{}, err
			}
			text := p.Key.Reveal()
			if !keytext.Valid(keytext.APIKey, text) {
				return VerifyResult{}, nil
			}
			answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{Key: keytext.Digest(text)})
			if err != nil {
				return VerifyResult{}, fmt.Errorf("look an API key up: %w", err)
			}
			now := s.Clock.Now()
			if !usable(answer.Key, call.Caller.Org, now) {
				return VerifyResult{}, nil
			}
			if err := s.Uses.Touch(ctx, answer.Key.ID.String()); err != nil {
				return VerifyResult{}, err
			}
			return s.verified(ctx, answer.Key, p.Scopes, now)
		},
	})
}

// usable reports whether a key may be used in a workspace at a time.
func usable(k *outbound.KeyIdentity, org workspace.ID, now time.Time) bool {
	return k != nil && k.Org == org && k.Member && !k.Suspended && k.User.Usable(now) && k.RevokedAt.IsZero() &&
		(k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// verified describes a key that may be used.
func (s *Service) verified(ctx context.Context, k *outbound.KeyIdentity, asked []string, now time.Time) (VerifyResult, error) {
	held, err := s.Books.Standing(ctx, k.Held, now)
	if err != nil {
		return VerifyResult{}, err
	}
	share := slices.Compact(slices.Sorted(slices.Values(access.Share(held.Permissions, k.User.Superadmin, k.Scopes))))
	result := VerifyResult{
		Valid: true, UserID: view.Text(k.User.ID), OrgID: view.Text(k.Org),
		Scopes: share, ExpiresAt: view.Time(k.ExpiresAt),
	}
	able := access.Caller{Permissions: share}
	for _, scope := range asked {
		if grantable(able, []string{scope}) != nil {
			result.MissingScopes = append(result.MissingScopes, scope)
		}
	}
	return result, nil
}
