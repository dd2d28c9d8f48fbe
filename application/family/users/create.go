package users

import (
	"context"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/granting"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errRoleAlone = fault.Unfit("/role", "needs org_id: in the personal workspace everybody is owner")

// CreateParams are the parameters of USER.CREATE.
type CreateParams struct {
	Email         email.Address    `json:"email" doc:"Address of the new account."`
	DisplayName   user.DisplayName `json:"display_name,omitzero" doc:"Name to show."`
	Password      secret.String    `json:"password,omitzero" doc:"Its password; absent: it has none until one is set. The policies of the instance and of org_id hold." jsonschema:"minLength=8,maxLength=256"`
	EmailVerified bool             `json:"email_verified,omitzero" doc:"Whether the address is known to be the person's."`
	OrgID         workspace.ID     `json:"org_id,omitzero" doc:"A workspace to join besides the personal one. Only superadmins may name another than the active one."`
	Role          string           `json:"role,omitzero" doc:"Role in org_id; absent: member." jsonschema:"minLength=1,maxLength=64,example=member"`
	ExternalID    user.ExternalID  `json:"external_id,omitzero" doc:"Identifier in another system, unique here."`
	SendInvite    bool             `json:"send_invite,omitzero" doc:"Mail the person a link to set a password, which works once, for 7 days."`
	Metadata      map[string]any   `json:"metadata_json,omitzero" doc:"The application's own data, at most 16 KiB and 8 levels deep, without numbers beyond ±9007199254740991; null keys are left out."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, UserResult]{
		Name:    "USER.CREATE",
		Summary: "Create an account as an administrator, with its personal workspace and, if wanted, a membership of another one; nobody is signed in.",
		Access:  access.Holding(manage).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{user.KindCreated, workspace.KindCreated, workspace.KindMemberAdded},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (UserResult, error) {
			joins, err := p.joins(call.Caller)
			if err != nil {
				return UserResult{}, err
			}
			hash, err := s.firstHash(ctx, p)
			if err != nil {
				return UserResult{}, err
			}
			now := s.Clock.Now()
			wanted := account.New{
				Email: p.Email, Verified: p.EmailVerified, DisplayName: string(p.DisplayName), Hash: hash,
				ExternalID: string(p.ExternalID), Metadata: p.Metadata,
			}
			var made account.Made
			err = s.Unit.Do(ctx, func(tx Repos) error {
				given, err := joins.allowed(ctx, tx, call.Caller)
				if err != nil {
					return err
				}
				if made, err = account.Create(ctx, tx.accounts(), s.IDs, wanted, now); err != nil {
					return err
				}
				if err := invite(ctx, tx, made, p.SendInvite); err != nil {
					return err
				}
				return joins.join(ctx, tx, made.User.ID(), given, now)
			})
			if err != nil {
				return UserResult{}, err
			}
			return UserResult{User: view.OfUser(made.User.Snapshot(), now)}, nil
		},
	})
}

// invite mails the owner of a new account, if that is wanted.
func invite(ctx context.Context, tx Repos, made account.Made, wanted bool) error {
	if !wanted {
		return nil
	}
	return account.QueueInvite(ctx, tx.Mails, made.User.ID(), made.User.Snapshot().Email)
}

func (r Repos) accounts() account.Repos {
	return account.Repos{Users: r.Users, Credentials: r.Credentials, Workspaces: r.Workspaces}
}

// joins returns which workspace the new account joins, with which role.
func (p CreateParams) joins(caller access.Caller) (grant, error) {
	switch {
	case p.OrgID == "" && p.Role != "":
		return grant{}, errRoleAlone
	case p.OrgID == "":
		return grant{}, nil
	case !caller.May("members:write"):
		return grant{}, workspace.ErrNotFound
	case p.Role == "":
		p.Role = role.Member
	}
	return grant{org: p.OrgID, role: p.Role}, nil
}

// allowed returns the role that a new account gets in the workspace that it joins, if
// any. It fails like granting.Allow.
func (g grant) allowed(ctx context.Context, tx Repos, caller access.Caller) (role.Role, error) {
	if g.org == "" {
		return role.Role{}, nil
	}
	return granting.Allow(ctx, tx.Books, caller, g.org, g.role)
}

// join makes a new account a member of the workspace that it joins, if any.
func (g grant) join(ctx context.Context, tx Repos, person user.ID, given role.Role, now time.Time) error {
	if g.org == "" {
		return nil
	}
	return tx.Workspaces.SaveMember(ctx, workspace.JoinOther(g.org, person, given.Ref(), now))
}

// firstHash hashes the password of the new account, if it gets one.
func (s *Service) firstHash(ctx context.Context, p CreateParams) (string, error) {
	if p.Password.Empty() {
		return "", nil
	}
	rules, err := s.Policies.OfOrg(ctx, p.OrgID)
	if err != nil {
		return "", err
	}
	owner := password.Owner{Email: p.Email.String(), Name: string(p.DisplayName)}
	return s.Passwords.Accept(ctx, "/password", p.Password, owner, rules.Password)
}
