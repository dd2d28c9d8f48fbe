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
	Key    secret.String `json:"key" doc:"Text of the key that was presented to you." jsonschema:"minLength=1,maxLength=512"`
	Scopes []string      `json:"scopes,omitzero" doc:"Permissions the call needs, or patterns of permissions." jsonschema:"maxItems=100,uniqueItems=true,minLength=1,maxLength=64,example=apps:read"`
}

// VerifyResult is the result of API_KEY.VERIFY.
type VerifyResult struct {
	Valid         bool          `json:"valid" doc:"Whether the key belongs to your workspace and can be used now. If false, no other field is set."`
	UserID        *user.ID      `json:"user_id" doc:"ID of the user who owns the key."`
	OrgID         *workspace.ID `json:"org_id" doc:"ID of the workspace the key acts in, which is yours."`
	Scopes        []string      `json:"scopes" doc:"Scopes the key has now, limited to the permissions its owner holds."`
	MissingScopes []string      `json:"missing_scopes" doc:"Requested scopes the key does not have. Reject the call unless this list is empty."`
	ExpiresAt     *time.Time    `json:"expires_at" doc:"When the key expires. Null if it never expires."`
}

func (s *Service) verify() command.Definition {
	return command.Define(command.Spec[VerifyParams, VerifyResult]{
		Name:    "API_KEY.VERIFY",
		Summary: "Verify an API key that was presented to your service.",
		Description: "For resource servers that receive a user's API key: checks the key and whether it has the scopes the call needs. A successful " +
			"check counts as a use of the key.\n\nThe key's allowed networks are not checked, because only the resource server knows where the " +
			"call came from.",
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
				return VerifyResult{}, fmt.Errorf("look up an API key: %w", err)
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
	return k.Failing(now) == 0 && k.Org == org
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
