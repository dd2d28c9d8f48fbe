package users

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// SetMetadataParams are the parameters of USER.SET_METADATA.
type SetMetadataParams struct {
	UserID   user.ID        `json:"user_id" doc:"ID of the account."`
	Metadata map[string]any `json:"metadata_json" doc:"Changes to the metadata, as a merge patch (RFC 7396): null removes a key, objects are merged, other values are replaced. The result is at most 16 KiB and 8 levels deep. Numbers beyond ±9007199254740991 are rejected because they would be rounded; send them as strings."`
}

// SetMetadataResult is the result of USER.SET_METADATA.
type SetMetadataResult struct {
	Metadata map[string]any `json:"metadata_json" doc:"The complete metadata of the account."`
}

func (s *Service) setMetadata() command.Definition {
	return command.Define(command.Spec[SetMetadataParams, SetMetadataResult]{
		Name:    "USER.SET_METADATA",
		Summary: "Update the application-defined metadata of an account.",
		Access:  access.Holding(manage),
		Effect:  command.Writes,
		Emits:   []event.Kind{user.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p SetMetadataParams) (SetMetadataResult, error) {
			after, err := s.changed(ctx, call.Caller, p.UserID, func(_ Repos, u *user.User) error {
				return u.MergeMetadata(p.Metadata, s.Clock.Now())
			})
			return SetMetadataResult{Metadata: after.User.Metadata}, err
		},
	})
}
