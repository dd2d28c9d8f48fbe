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
	Roles        []string          `json:"roles" doc:"Roles of the caller in it."`
	MemberCount  int               `json:"member_count" doc:"How many people belong to it."`
	Limits       Limits            `json:"limits" doc:"What it may have at most."`
}

// Limits are what a workspace may have at most.
type Limits struct {
	Apps           int `json:"apps" doc:"Apps."`
	APIKeys        int `json:"api_keys" doc:"Active API keys."`
	StoredAnswers  int `json:"stored_answers" doc:"Answers to Idempotency-Keys that are stored at once."`
	AuditMegabytes int `json:"audit_megabytes" doc:"Megabytes of own audit entries a day."`
	Groups         int `json:"groups" doc:"Groups."`
	Roles          int `json:"roles" doc:"Own roles."`
	Permissions    int `json:"permissions" doc:"Own permissions."`
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
		Summary:     "Show the workspace: what it is, the caller's roles in it, how many belong to it, and what it may have at most.",
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
