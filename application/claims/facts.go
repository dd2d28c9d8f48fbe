package claims

import (
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Person is the person of a token.
type Person struct {
	Account user.Snapshot
	// Standing is theirs in the workspace of the app.
	role.EffectiveRoles
}

// Variable returns a person as expressions know them.
func Variable() outbound.Variable {
	return outbound.Variable{Name: "user", Fields: []outbound.VariableField{
		{Name: "id", Type: outbound.TextField},
		{Name: "email", Type: outbound.TextField},
		{Name: "email_verified", Type: outbound.FlagField},
		{Name: "display_name", Type: outbound.TextField},
		{Name: "locale", Type: outbound.TextField},
		{Name: "timezone", Type: outbound.TextField},
		{Name: "external_id", Type: outbound.TextField},
		{Name: "metadata_json", Type: outbound.AnyField},
		{Name: "roles", Type: outbound.TextsField},
		{Name: "groups", Type: outbound.TextsField},
		{Name: "created_at", Type: outbound.TimeField},
	}}
}

// variables returns the variables of expressions.
func variables() []outbound.Variable {
	return []outbound.Variable{
		Variable(),
		{Name: "workspace", Fields: []outbound.VariableField{
			{Name: "id", Type: outbound.TextField},
			{Name: "name", Type: outbound.TextField},
			{Name: "personal", Type: outbound.FlagField},
		}},
		{Name: "app", Fields: []outbound.VariableField{
			{Name: "id", Type: outbound.TextField},
			{Name: "slug", Type: outbound.TextField},
			{Name: "name", Type: outbound.TextField},
			{Name: "type", Type: outbound.TextField},
		}},
	}
}

// Facts returns the values of Variable; nil for nobody.
func (p *Person) Facts() map[string]any {
	if p == nil {
		return nil
	}
	account := p.Account
	metadata := account.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	return map[string]any{
		"id": account.ID.String(), "email": account.Email.String(), "email_verified": account.EmailVerified,
		"display_name": account.DisplayName, "locale": account.Locale, "timezone": account.Timezone,
		"external_id": account.ExternalID, "metadata_json": metadata, "roles": p.Roles, "groups": p.GroupNames(), "created_at": account.CreatedAt,
	}
}

func workspaceFacts(org workspace.Snapshot) map[string]any {
	return map[string]any{"id": org.ID.String(), "name": org.Name, "personal": org.Personal()}
}

func appFacts(a app.Snapshot) map[string]any {
	return map[string]any{"id": a.ID.String(), "slug": a.Slug, "name": a.Name, "type": string(a.Type)}
}
