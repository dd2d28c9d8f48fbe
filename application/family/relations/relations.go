// Package relations implements the family RELATION: the authorization model of a
// workspace, its tuples, and queries (Zanzibar, compatible with OpenFGA).
package relations

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/rebac"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions of the family.
const (
	read  = "relations:read"
	write = "relations:write"
)

// mostTuples is how many tuples are written, and how many questions answered, at once.
const mostTuples = 100

// Repos holds the repositories of one unit of work.
type Repos struct {
	Relations workspaces.Relations
	Groups    workspaces.GroupHolds
	Events    outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit     outbound.Unit[Repos]
	Relating *rebac.Service
	Cursors  page.Cursors
	Clock    outbound.Clock
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.write(),
		s.delete(),
		s.list(),
		s.check(),
		s.bulkCheck(),
		s.expand(),
		s.objectList(),
		s.subjectList(),
		s.modelGet(),
		s.modelSet(),
	}
}

// home returns the workspace that the caller acts in. It fails with workspace.ErrNotFound.
func home(caller access.Caller) (workspace.ID, error) {
	if caller.Org == "" {
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

// Condition is what a tuple depends on.
type Condition struct {
	Name    string         `json:"name" doc:"Name of a condition of the model." jsonschema:"minLength=1,maxLength=50,example=in_office"`
	Context map[string]any `json:"context,omitzero" doc:"Values for the parameters of the condition. They take precedence over values given with a check. At most 4 KiB." example:"-"`
}

// Tuple is a tuple in results.
type Tuple struct {
	Object    string     `json:"object" doc:"Object of the tuple."`
	Relation  string     `json:"relation" doc:"Relation of the tuple."`
	Subject   string     `json:"subject" doc:"Subject of the tuple."`
	Condition *Condition `json:"condition" doc:"Condition that must hold for the tuple to count. Null if there is none."`
	ExpiresAt *time.Time `json:"expires_at" doc:"Time at which the tuple expires. Null if it never expires."`
	WrittenAt time.Time  `json:"written_at" doc:"Time at which the tuple was written or last changed."`
}

func show(t relation.Tuple) Tuple {
	shown := Tuple{
		Object: t.Object.String(), Relation: t.Relation, Subject: t.Subject.String(), WrittenAt: t.WrittenAt,
	}
	if t.Condition != "" {
		shown.Condition = &Condition{Name: t.Condition}
		if t.Context != "" {
			// What is stored was JSON when it was written.
			_ = json.Unmarshal([]byte(t.Context), &shown.Condition.Context)
		}
	}
	if !t.ExpiresAt.IsZero() {
		shown.ExpiresAt = &t.ExpiresAt
	}
	return shown
}

// texts are tuples as events tell of them.
func texts(keys []relation.Key) []string {
	texts := make([]string, min(len(keys), relation.MostListed))
	for i := range texts {
		texts[i] = keys[i].String()
	}
	return texts
}

// Paging are the parameters of lists whose items have long names.
type Paging struct {
	Limit  int    `json:"limit,omitzero" doc:"Maximum number of items to return. Defaults to 50." jsonschema:"minimum=1,maximum=200"`
	Cursor string `json:"cursor,omitzero" doc:"Cursor from next_cursor of the previous page." jsonschema:"maxLength=2400" example:"-"`
}

// PageCursor returns the cursor that was asked for.
func (p Paging) PageCursor() string { return p.Cursor }

func (p Paging) params() page.Params { return page.Params{Limit: p.Limit, Cursor: p.Cursor} }

// under puts a fault about a part of a parameter under the path of the parameter.
func under(path string, faults []fault.Field, refused *fault.Error) []fault.Field {
	for _, field := range refused.Fields {
		faults = append(faults, fault.Field{Path: path + field.Path, Message: field.Message})
	}
	return faults
}

// item returns the path of an item of a list.
func item(list string, i int) string { return "/" + list + "/" + strconv.Itoa(i) }

// scope names a list, and what must not change between its pages.
func scope(name string, of ...string) string { return name + "|" + strings.Join(of, "|") }
