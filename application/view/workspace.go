package view

import (
	"time"

	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// Organization is a workspace in results.
type Organization struct {
	ID             workspace.ID       `json:"id" doc:"ID of the workspace."`
	Name           string             `json:"name" doc:"Display name."`
	Slug           workspace.Slug     `json:"slug" doc:"Short name for use in links. Unique in the instance."`
	LogoURL        string             `json:"logo_url" doc:"https URL of a picture, or empty."`
	Personal       bool               `json:"personal" doc:"Whether this is the personal workspace of an account, created and deleted with it."`
	DefaultRole    string             `json:"default_role" doc:"Role of people who join without another role."`
	AllowedMethods []workspace.Method `json:"allowed_methods" doc:"Sign-in methods that a session must have started with to act in the workspace. Empty if all are allowed."`
	Disabled       bool               `json:"disabled" doc:"Whether the workspace is suspended, so that only superadmins can act in it."`
	CreatedAt      time.Time          `json:"created_at" doc:"When the workspace was created."`
	Metadata       map[string]any     `json:"metadata_json" doc:"Application-defined metadata."`
}

// OfWorkspace shows a workspace.
func OfWorkspace(s workspace.Snapshot) Organization {
	return Organization{
		ID: s.ID, Name: s.Name, Slug: s.Slug, LogoURL: s.LogoURL, Personal: s.Personal(), DefaultRole: s.DefaultRole,
		AllowedMethods: append([]workspace.Method{}, s.AllowedMethods...), Disabled: s.Disabled(), CreatedAt: s.CreatedAt, Metadata: s.Metadata,
	}
}

// Member is a member of a workspace in results.
type Member struct {
	UserID      user.ID   `json:"user_id" doc:"ID of the account."`
	Email       string    `json:"email" doc:"Email address."`
	DisplayName string    `json:"display_name" doc:"Display name."`
	Avatar      string    `json:"avatar" doc:"URL of a picture, or empty."`
	Status      string    `json:"status" doc:"Status of the account." jsonschema:"enum=active,enum=disabled"`
	Roles       []string  `json:"roles" doc:"Names of the roles assigned directly to the member that have not expired."`
	JoinedAt    time.Time `json:"joined_at" doc:"When the member joined."`
}

// OfMember returns a member at a time, with the names of their roles.
func OfMember(m people.Member, book *role.Book, now time.Time) Member {
	shown := OfUser(m.User, now)
	return Member{
		UserID: shown.ID, Email: shown.Email, DisplayName: shown.DisplayName, Avatar: shown.Avatar, Status: shown.Status,
		Roles: book.Names(workspace.LiveRoles(m.Grants, now)), JoinedAt: m.JoinedAt,
	}
}
