// Package groups implements the family GROUP: groups of the members of a workspace, and
// their roles.
package groups

import (
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions of the family.
const (
	reading = "groups:read"
	writing = "groups:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Books  workspaces.Books
	Groups workspaces.Groups
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Books     *rolegrant.Books
	Directory workspaces.GroupDirectory
	Cursors   page.Cursors
	Clock     outbound.Clock
	IDs       outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.create(),
		s.get(),
		s.list(),
		s.update(),
		s.delete(),
		s.setRoles(),
		s.memberAdd(),
		s.memberRemove(),
		s.memberList(),
	}
}

// Group is a group in results.
type Group struct {
	ID          group.ID  `json:"id" doc:"ID of the group."`
	Name        string    `json:"name" doc:"Name of the group."`
	Description string    `json:"description" doc:"Purpose of the group."`
	ExternalID  *string   `json:"external_id" doc:"ID of the group in another system. Null if it has none."`
	Roles       []string  `json:"roles" doc:"Names of the roles that every member of the group holds."`
	CreatedAt   time.Time `json:"created_at" doc:"When the group was created."`
	UpdatedAt   time.Time `json:"updated_at" doc:"When the group or its roles last changed."`
}

// Result is a group after a change.
type Result struct {
	Group Group `json:"group" doc:"The group."`
}

// namer returns the names of roles by their keys.
type namer interface{ Names(keys []string) []string }

func show(book namer, s group.Snapshot) Group {
	return Group{
		ID: s.ID, Name: string(s.Name), Description: s.Description, ExternalID: view.Text(s.ExternalID),
		Roles: book.Names(s.Roles), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }

// externalID is the identifier of a group in another system, or empty.
type externalID string

// SchemaFragment describes the identifier in a JSON Schema.
func (externalID) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "maxLength": 255, "pattern": `^[^\x00-\x1f\x7f]*$`, "examples": []any{"dept-42"}}
}
