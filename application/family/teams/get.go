package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/workspace"
)

// GetResult is the result of TEAM.GET.
type GetResult struct {
	Organization view.Organization `json:"organization" doc:"The workspace."`
	Roles        []string          `json:"roles" doc:"Names of your roles in the workspace."`
	MemberCount  int               `json:"member_count" doc:"Number of members."`
	Limits       Limits            `json:"limits" doc:"Limits of the workspace."`
}

// Limits are what a workspace may have at most.
type Limits struct {
	Apps           int `json:"apps" doc:"Maximum number of apps."`
	APIKeys        int `json:"api_keys" doc:"Maximum number of active API keys."`
	StoredAnswers  int `json:"stored_answers" doc:"Maximum number of stored answers to Idempotency-Keys at any time."`
	AuditMegabytes int `json:"audit_megabytes" doc:"Maximum volume of audit entries that the workspace's apps record per day. Megabytes."`
	Groups         int `json:"groups" doc:"Maximum number of groups."`
	Roles          int `json:"roles" doc:"Maximum number of custom roles."`
	Permissions    int `json:"permissions" doc:"Maximum number of custom permissions."`
}

func limitsOf(v setting.Values) Limits {
	return Limits{
		Apps: v.MaxApps, APIKeys: v.MaxAPIKeys, StoredAnswers: v.MaxStoredAnswers, AuditMegabytes: v.AuditMegabytes,
		Groups: workspace.MaxGroups, Roles: workspace.MaxRoles, Permissions: workspace.MaxPermissions,
	}
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[command.None, GetResult]{
		Name:        "TEAM.GET",
		Summary:     "Retrieve the active workspace.",
		Description: "The result includes your roles, the number of members and the limits of the workspace.",
		Access:      access.User(),
		Effect:      command.Reads,
		InWorkspace: true,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (GetResult, error) {
			found, err := s.Directory.Find(ctx, call.Caller.Org)
			if err != nil {
				return GetResult{}, err
			}
			organization, err := s.show(ctx, found)
			if err != nil {
				return GetResult{}, err
			}
			members, err := s.Directory.Members(ctx, found.ID)
			return GetResult{
				Organization: organization, Roles: append([]string{}, call.Caller.Roles...), MemberCount: members,
				Limits: limitsOf(s.Instance.State().Settings),
			}, err
		},
	})
}
