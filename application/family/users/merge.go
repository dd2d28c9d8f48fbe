package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Errors of USER.MERGE.
var (
	errSame      = fault.Unfit("/target_user_id", "must differ from source_user_id")
	errOwnSource = fault.Unfit("/source_user_id", "must not be your own account")
	errUnusable  = fault.New(fault.Validation, "both accounts must be enabled: a merge gives access from one to the other")
)

// MergeParams are the parameters of USER.MERGE.
type MergeParams struct {
	SourceUserID user.ID `json:"source_user_id" doc:"ID of the account to merge. It is deleted."`
	TargetUserID user.ID `json:"target_user_id" doc:"ID of the account to keep, with its email address, profile, password and second factors."`
}

// MergeResult is the result of USER.MERGE.
type MergeResult struct {
	User  view.User           `json:"user" doc:"The account that was kept."`
	Moved account.MergeCounts `json:"moved" doc:"Counts of what moved from the source account."`
}

const mergeDescription = "These move from the source account to the target account:\n\n" +
	"- linked accounts, passkeys and API keys\n" +
	"- workspace memberships, with the roles of both accounts, and groups\n" +
	"- purchases and relations\n" +
	"- open invitations and security notices\n\n" +
	"The source's personal workspace becomes an ordinary workspace of the target.\n\n" +
	"The source's sessions, password, second factors and remembered devices are removed, and its jobs stop. Its email address " +
	"becomes available again. The audit log keeps its ID."

func (s *Service) merge() command.Definition {
	return command.Define(command.Spec[MergeParams, MergeResult]{
		Name:        "USER.MERGE",
		Summary:     "Merge two accounts of the same person.",
		Description: mergeDescription,
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits: []event.Kind{
			user.KindMerged, user.KindDeleted, session.KindRevoked, identity.KindUnlinked,
			workspace.KindUpdated, workspace.KindMemberAdded, workspace.KindRoleAssigned, group.KindMemberAdded,
		},
		Handle: func(ctx context.Context, call command.Call, p MergeParams) (MergeResult, error) {
			if p.SourceUserID == call.Caller.User {
				return MergeResult{}, errOwnSource
			}
			var merged MergeResult
			err := s.Unit.Do(ctx, func(tx Repos) (err error) {
				merged, err = s.mergeIn(ctx, tx, call.Caller, p)
				return err
			})
			return merged, err
		},
	})
}

func (s *Service) mergeIn(ctx context.Context, tx Repos, caller access.Caller, p MergeParams) (MergeResult, error) {
	if err := tx.Sessions.HoldOff(ctx, p.SourceUserID, ""); err != nil {
		return MergeResult{}, err
	}
	merging := account.MergeRepos{
		Passkeys: tx.Passkeys, Identities: tx.Identities, APIKeys: tx.APIKeys, Workspaces: tx.Workspaces, Books: tx.Books,
		Belonging: tx.Belonging, Groups: tx.Groups, Merges: tx.Merges, Mails: tx.Mails,
	}
	if err := merging.Hold(ctx, p.SourceUserID, p.TargetUserID); err != nil {
		return MergeResult{}, err
	}
	// Who comes by what the source has is the target from now on, and the other way round.
	source, err := account.Entrusted(ctx, tx.Users, caller, p.SourceUserID)
	if err != nil {
		return MergeResult{}, err
	}
	target, err := account.Entrusted(ctx, tx.Users, caller, p.TargetUserID)
	if err != nil {
		return MergeResult{}, err
	}
	if source.ID() == target.ID() {
		return MergeResult{}, errSame
	}
	now := s.Clock.Now()
	if !source.Snapshot().Usable(now) || !target.Snapshot().Usable(now) {
		return MergeResult{}, errUnusable
	}
	if err := s.spared(ctx, tx, source); err != nil {
		return MergeResult{}, err
	}
	if _, err := tx.End(ctx, source, account.EndOptions{Reason: session.ByMerge, Keep: deletedAnyway()}, now); err != nil {
		return MergeResult{}, err
	}
	moved, err := merging.Move(ctx, source.ID(), target.ID(), now)
	if err != nil {
		return MergeResult{}, err
	}
	if err := tx.Users.Save(ctx, target); err != nil {
		return MergeResult{}, err
	}
	if err := merging.Tell(ctx, source.Snapshot(), target.Snapshot()); err != nil {
		return MergeResult{}, err
	}
	source.Merge(target.ID())
	source.Delete()
	return MergeResult{User: view.OfUser(target.Snapshot(), now), Moved: moved}, tx.Users.Delete(ctx, source)
}
