package permissions

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// CheckParams are the parameters of PERMISSION.CHECK.
type CheckParams struct {
	Check
	UserID user.ID      `json:"user_id,omitzero" doc:"ID of the member to check. Defaults to you. Others require permissions:read."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of one of your workspaces. Defaults to the active one. Superadmins can name any workspace." example:"-"`
}

// Check is what is asked.
type Check struct {
	Action   string `json:"action" doc:"Action to check, such as read. The second part of a permission." jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9][a-z0-9_.-]*$,example=read"`
	Resource string `json:"resource" doc:"Resource to check: a type such as docs (the first part of a permission), or a single object such as docs/42." jsonschema:"minLength=1,maxLength=320,pattern=^[a-z0-9][a-z0-9_.-]{0\\,63}(/[!-~]{1\\,255})?$,example=users"`
}

// CheckResult is the result of PERMISSION.CHECK.
type CheckResult struct {
	Allowed bool    `json:"allowed" doc:"Whether the action is allowed. A disabled account is allowed nothing."`
	Via     *string `json:"via" doc:"Source of the permission: role:editor, group:ops/role:editor, relation:editor, superadmin, or scope (for an API key or app). Null if the action is not allowed."`
}

const checkDescription = "- A permission on a type applies to every object of the type.\n" +
	"- If the workspace's relation model gives the type a relation with the action's name, checks of a single object follow " +
	"`RELATION.CHECK`. Roles then do not count.\n" +
	"- The `*` of an owner covers every action and resource except the instance permissions, including ones that Gatehouse " +
	"does not know."

func (s *Service) check() command.Definition {
	return command.Define(command.Spec[CheckParams, CheckResult]{
		Name:        "PERMISSION.CHECK",
		Summary:     "Check whether a user can perform an action on a resource in a workspace.",
		Description: checkDescription,
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CheckParams) (CheckResult, error) {
			of, err := s.subject(ctx, call.Caller, p.OrgID, p.UserID)
			if err != nil {
				return CheckResult{}, err
			}
			via, err := s.vias(ctx, of, func(int) string { return "/resource" }, p.Check)
			if err != nil || via[0] == "" {
				return CheckResult{}, err
			}
			return CheckResult{Allowed: true, Via: &via[0]}, nil
		},
	})
}
