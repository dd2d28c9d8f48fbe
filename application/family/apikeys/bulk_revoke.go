package apikeys

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/machines"
)

// batch is how many keys end in one transaction.
const batch = 50

// BulkRevokeParams are the parameters of API_KEY.BULK_REVOKE. A key must match
// all that are given.
type BulkRevokeParams struct {
	UserID        user.ID   `json:"user_id,omitzero" doc:"ID of a user. Revokes only keys of this user."`
	UnusedSince   time.Time `json:"unused_since,omitzero" doc:"Revokes only keys created before this time and not used since."`
	CreatedBefore time.Time `json:"created_before,omitzero" doc:"Revokes only keys created before this time."`
}

// BulkRevokeResult is the result of API_KEY.BULK_REVOKE.
type BulkRevokeResult struct {
	RevokedCount int `json:"revoked_count" doc:"Number of keys revoked."`
}

func (p BulkRevokeParams) none() bool {
	return p.UserID == "" && p.UnusedSince.IsZero() && p.CreatedBefore.IsZero()
}

// errNoFilter keeps a forgotten filter from ending every key there is.
func errNoFilter() error {
	const message = "provide at least one of user_id, unused_since and created_before"
	refusal := fault.New(fault.Validation, message)
	for _, path := range []string{"/user_id", "/unused_since", "/created_before"} {
		refusal.Fields = append(refusal.Fields, fault.Field{Path: path, Message: message})
	}
	return refusal
}

func (s *Service) bulkRevoke() command.Definition {
	return command.Define(command.Spec[BulkRevokeParams, BulkRevokeResult]{
		Name:    "API_KEY.BULK_REVOKE",
		Summary: "Revoke all API keys that match a filter.",
		Description: "Revokes the API keys of the active workspace that match every filter you give. At least one filter is required. The key you call " +
			"with is never revoked.\n\nSuperadmins revoke matching keys in all workspaces.",
		Access:    access.Holding(writing),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{apikey.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p BulkRevokeParams) (BulkRevokeResult, error) {
			if p.none() {
				return BulkRevokeResult{}, errNoFilter()
			}
			org, err := call.Caller.Horizon()
			if err != nil {
				return BulkRevokeResult{}, err
			}
			count, err := s.endAll(ctx, machines.APIKeyQuery{
				Org: org, User: p.UserID, UnusedSince: p.UnusedSince, CreatedBefore: p.CreatedBefore,
				Except: call.Caller.APIKey, Status: apikey.Active,
			})
			return BulkRevokeResult{RevokedCount: count}, err
		},
	})
}

// endAll ends all keys that match, from the newest down, a batch in each
// transaction, and returns how many those were. Keys that are made meanwhile are
// left alone, so it comes to an end.
func (s *Service) endAll(ctx context.Context, query machines.APIKeyQuery) (int, error) {
	query.Limit = batch
	for total := 0; ; {
		var ended []*apikey.Key
		err := s.Unit.Do(ctx, func(tx Repos) error {
			var err error
			ended, err = s.endSome(ctx, tx, query)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += len(ended); len(ended) < batch {
			return total, nil
		}
		query.Before = ended[batch-1].ID()
	}
}

func (s *Service) endSome(ctx context.Context, tx Repos, query machines.APIKeyQuery) ([]*apikey.Key, error) {
	query.Now = s.Clock.Now()
	found, err := tx.Keys.Matching(ctx, query)
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		one.End(apikey.ByAdmin, query.Now)
		if err := tx.Keys.Save(ctx, one); err != nil {
			return nil, err
		}
	}
	return found, nil
}
