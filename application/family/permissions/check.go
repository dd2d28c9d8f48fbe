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
	UserID user.ID      `json:"user_id,omitzero" doc:"Who is to do it: a member of the workspace; you when absent. Others need permissions:read."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"The workspace, one of yours; the active one when absent. Superadmins may name any." example:"-"`
}

// Check is what is asked.
type Check struct {
	Action   string `json:"action" doc:"What is to be done, such as read; the second part of a permission." jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9][a-z0-9_.-]*$,example=read"`
	Resource string `json:"resource" doc:"What it is to be done to: a type such as docs, the first part of a permission, or one thing of it, such as docs/42." jsonschema:"minLength=1,maxLength=320,pattern=^[a-z0-9][a-z0-9_.-]{0\\,63}(/[!-~]{1\\,255})?$,example=users"`
}

// CheckResult is the result of PERMISSION.CHECK.
type CheckResult struct {
	Allowed bool    `json:"allowed" doc:"Whether the user may do it. A disabled account may do nothing."`
	Via     *string `json:"via" doc:"What allows it: role:editor, group:ops/role:editor, relation:editor, superadmin, or scope, for an API key or an app; null when it is not allowed."`
}

func (s *Service) check() command.Definition {
	return command.Define(command.Spec[CheckParams, CheckResult]{
		Name: "PERMISSION.CHECK",
		Summary: "Tell whether a user may do an action on a resource in a workspace; who may do it on a type may do it on everything of it. " +
			"Where the relation model of the workspace gives the type a relation of the action's name, RELATION.CHECK decides about one thing of it, and roles do not. " +
			"An owner's * covers every pair but the instance permissions, also pairs that this service does not know.",
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
