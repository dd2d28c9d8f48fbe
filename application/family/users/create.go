package users

import (
	"context"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
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

var errRoleAlone = fault.Unfit("/role", "requires org_id: everyone is the owner of their personal workspace")

// CreateParams are the parameters of USER.CREATE.
type CreateParams struct {
	Email         email.Address    `json:"email" doc:"Email address of the new account."`
	DisplayName   user.DisplayName `json:"display_name,omitzero" doc:"Display name."`
	Password      secret.String    `json:"password,omitzero" doc:"Password of the account. Omit to create an account without a password. The password policies of the instance and of org_id apply." jsonschema:"minLength=8,maxLength=256"`
	EmailVerified bool             `json:"email_verified,omitzero" doc:"Whether the address is known to belong to the account's owner."`
	OrgID         workspace.ID     `json:"org_id,omitzero" doc:"Workspace to join in addition to the personal one. Only superadmins can name a workspace other than the active one."`
	Role          string           `json:"role,omitzero" doc:"Role in org_id. Defaults to member." jsonschema:"minLength=1,maxLength=64,example=member"`
	ExternalID    user.ExternalID  `json:"external_id,omitzero" doc:"ID of the account in another system. Unique in the instance."`
	SendInvite    bool             `json:"send_invite,omitzero" doc:"Whether to email the account's owner a link to set a password. The link works once, for 7 days."`
	Metadata      map[string]any   `json:"metadata_json,omitzero" doc:"Application-defined metadata. At most 16 KiB and 8 levels deep; numbers beyond ±9007199254740991 are rejected. Keys with the value null are dropped."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, UserResult]{
		Name:        "USER.CREATE",
		Summary:     "Create an account as an administrator.",
		Description: "The account gets a personal workspace and can join another workspace at once. Nobody is signed in.",
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{user.KindCreated, workspace.KindCreated, workspace.KindMemberAdded},
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
			wanted := account.Draft{
				Email: p.Email, Verified: p.EmailVerified, DisplayName: string(p.DisplayName), Hash: hash,
				ExternalID: string(p.ExternalID), Metadata: p.Metadata,
			}
			var made account.NewAccount
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
func invite(ctx context.Context, tx Repos, made account.NewAccount, wanted bool) error {
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
// any. It fails like rolegrant.Allow.
func (g grant) allowed(ctx context.Context, tx Repos, caller access.Caller) (role.Role, error) {
	if g.org == "" {
		return role.Role{}, nil
	}
	return rolegrant.Allow(ctx, tx.Books, caller, g.org, g.role)
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
