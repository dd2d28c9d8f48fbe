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
	ID             workspace.ID       `json:"id" doc:"Identifier of the workspace."`
	Name           string             `json:"name" doc:"Name to show."`
	Slug           workspace.Slug     `json:"slug" doc:"What it is addressed by in links, unique on the instance."`
	LogoURL        string             `json:"logo_url" doc:"https address of a picture, or empty."`
	Personal       bool               `json:"personal" doc:"Whether it came with an account and goes with it."`
	DefaultRole    string             `json:"default_role" doc:"Role of whoever joins without another one."`
	AllowedMethods []workspace.Method `json:"allowed_methods" doc:"Ways to sign in that a session must have begun by to act here; empty: all."`
	Disabled       bool               `json:"disabled" doc:"Whether it is suspended: nobody can act in it."`
	CreatedAt      time.Time          `json:"created_at" doc:"When it was made."`
	Metadata       map[string]any     `json:"metadata_json" doc:"The application's own data."`
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
	UserID      user.ID   `json:"user_id" doc:"Identifier of the account."`
	Email       string    `json:"email" doc:"Email address."`
	DisplayName string    `json:"display_name" doc:"Name to show."`
	Avatar      string    `json:"avatar" doc:"Address of a picture, or empty."`
	Status      string    `json:"status" doc:"Whether the account may be used." jsonschema:"enum=active,enum=disabled"`
	Roles       []string  `json:"roles" doc:"Roles that were given to the person and hold."`
	JoinedAt    time.Time `json:"joined_at" doc:"When the person joined."`
}

// OfMember returns a member at a time, with the names of their roles.
func OfMember(m people.Member, book *role.Book, now time.Time) Member {
	shown := OfUser(m.User, now)
	return Member{
		UserID: shown.ID, Email: shown.Email, DisplayName: shown.DisplayName, Avatar: shown.Avatar, Status: shown.Status,
		Roles: book.Names(workspace.LiveRoles(m.Grants, now)), JoinedAt: m.JoinedAt,
	}
}
