package resource

import (
	"fmt"
	"slices"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

// Bounds of a resource.
const (
	maxIdentifier  = 512
	maxScopes      = 200
	maxDescription = 200
)

type idKind struct{}

func (idKind) Prefix() string { return "rsv" }

// ID identifies a resource.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Identifier is the aud of tokens: a URI according to RFC 8707 section 2, or a plain
// name such as kubernetes. Verifiers compare it as a string.
type Identifier string

// SchemaFragment describes the identifier in a JSON Schema.
func (Identifier) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": maxIdentifier, "pattern": "^[!-~]+$",
		"examples": []any{"https://api.example.com"},
	}
}

// Scope is something that may be done at an API.
type Scope struct {
	Name        app.Scope   `json:"name" doc:"Name of the scope, as in the scope claim of tokens."`
	Description Description `json:"description,omitzero" doc:"Description for people of what the scope lets an app do."`
}

// Description is a text to show, or empty.
type Description string

// SchemaFragment describes the text in a JSON Schema.
func (Description) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "maxLength": maxDescription, "pattern": `^[^\x00-\x1f\x7f-\x9f]*$`,
		"examples": []any{"Read invoices."},
	}
}

// Origin is the origin of the assignment of an audience.
type Origin string

// The origins of a claim.
const (
	// FirstUse is an unconfirmed claim by an app of the workspace, which was the first
	// to request the audience.
	FirstUse Origin = "first_use"
	// ByWorkspace is a member of the workspace, who registered the API.
	ByWorkspace Origin = "workspace"
	// BySuperadmin is a superadmin, who registered the API or assigned it to the
	// workspace.
	BySuperadmin Origin = "superadmin"
)

// scopeFaults returns the errors of the scopes of an API.
func scopeFaults(scopes []Scope) []fault.Field {
	if len(scopes) > maxScopes {
		return []fault.Field{{Path: "/scopes", Message: "must have at most 200 items"}}
	}
	var complaints []fault.Field
	for i, scope := range scopes {
		var wrong string
		switch {
		case access.IsOwn(string(scope.Name)):
			wrong = "is a built-in permission: choose another name"
		case slices.ContainsFunc(scopes[:i], func(earlier Scope) bool { return earlier.Name == scope.Name }):
			wrong = "is listed twice"
		default:
			continue
		}
		complaints = append(complaints, fault.Field{Path: fmt.Sprintf("/scopes/%d/name", i), Message: wrong})
	}
	return complaints
}
