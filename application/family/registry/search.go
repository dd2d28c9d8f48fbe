package registry

import (
	"context"
	"slices"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
)

// SearchParams are the parameters of REGISTRY.SEARCH.
type SearchParams struct {
	Query    string `json:"query,omitzero" doc:"Words to search for, case-insensitive. Each word must occur in the name, summary or description of the command." jsonschema:"minLength=1,maxLength=200,example=revoke session"`
	Family   string `json:"family,omitzero" doc:"Returns only commands of this family, such as SESSION." jsonschema:"minLength=1,maxLength=64,example=SESSION"`
	Access   string `json:"access,omitzero" doc:"Returns only commands with this access: public, user, superadmin, permission:<name> or client:<scope>. Use permission alone for any permission." jsonschema:"minLength=1,maxLength=100,example=user"`
	Callable bool   `json:"callable,omitzero" doc:"Whether to return only commands you can call with the credential you sent. Without a credential, these are the public commands."`
	page.Params
}

// SearchResult is the result of REGISTRY.SEARCH.
type SearchResult struct {
	Items      []Entry `json:"items" doc:"Commands on this page, sorted by name."`
	NextCursor *string `json:"next_cursor" doc:"Cursor for the next page. Null on the last page."`
}

// Entry is a command in lists.
type Entry struct {
	Command string `json:"command" doc:"Name of the command."`
	Summary string `json:"summary" doc:"One sentence about what the command does."`
	Access  string `json:"access" doc:"Required access: public, user, permission:<name>, superadmin or client:<scope>."`
	Writes  string `json:"writes" doc:"Whether the command changes something. no: nothing. yes: only stored data, so it accepts dry_run. outside: also systems beyond the store." jsonschema:"enum=no,enum=yes,enum=outside"`
}

func (s *Service) search() command.Definition {
	return command.Define(command.Spec[SearchParams, SearchResult]{
		Name:        "REGISTRY.SEARCH",
		Summary:     "Search for commands.",
		Description: "Finds commands by words, family or required access. Set `callable` to find the commands you can call.",
		Access:      access.Optional(),
		Effect:      command.Reads,
		Handle: func(_ context.Context, call command.Call, p SearchParams) (SearchResult, error) {
			const scope = "REGISTRY.SEARCH"
			list := s.Cursors.List(scope, p.Params)
			after, err := list.Position()
			if err != nil {
				return SearchResult{}, err
			}
			var found []*command.Definition
			for _, d := range s.Registry().All() {
				if d.Name > after && p.matches(d) && (!p.Callable || d.Access.Check(call.Caller) == nil) {
					found = append(found, d)
				}
			}
			position := func(d *command.Definition) string { return d.Name }
			return SearchResult(page.Cut(list, found, position, entry)), nil
		},
	})
}

func entry(d *command.Definition) Entry {
	return Entry{Command: d.Name, Summary: d.Summary, Access: d.Access.String(), Writes: writes(d.Effect)}
}

// writes returns an effect in the words of the registry.
func writes(effect command.Effect) string {
	switch effect {
	case command.Writes:
		return "yes"
	case command.Outside:
		return "outside"
	case command.Reads:
	}
	return "no"
}

func (p SearchParams) matches(d *command.Definition) bool {
	text := strings.ToLower(d.Name + " " + d.Summary + " " + d.Description)
	missing := slices.ContainsFunc(strings.Fields(strings.ToLower(p.Query)), func(word string) bool {
		return !strings.Contains(text, word)
	})
	byFamily := p.Family == "" || p.Family == d.Family
	byAccess := p.Access == "" || p.Access == d.Access.String() || (p.Access == "permission" && strings.HasPrefix(d.Access.String(), "permission:"))
	return !missing && byFamily && byAccess
}
