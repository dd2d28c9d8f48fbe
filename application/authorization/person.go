package authorization

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/claims"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// PersonClaims are claims about a person (OpenID Connect Core section 5.1). Zero values
// are omitted.
type PersonClaims struct {
	Name      string   `json:"name,omitzero" doc:"Display name. The scope profile grants this claim and all claims up to updated_at."`
	Username  string   `json:"preferred_username,omitzero" doc:"Email address, if it is verified. Never the display name, which people choose freely."`
	Given     string   `json:"given_name,omitzero" doc:"Display name without its last word."`
	Family    string   `json:"family_name,omitzero" doc:"Last word of the display name, if it has several words."`
	Picture   string   `json:"picture,omitzero" doc:"URL of a picture of the person."`
	Locale    string   `json:"locale,omitzero" doc:"Language tag of the person (BCP 47)."`
	Zone      string   `json:"zoneinfo,omitzero" doc:"Time zone of the person, as an IANA name."`
	UpdatedAt int64    `json:"updated_at,omitzero" doc:"Time the account was last changed. Unix seconds."`
	Email     string   `json:"email,omitzero" doc:"Email address. Requires the scope email."`
	Verified  *bool    `json:"email_verified,omitzero" doc:"Whether the email address is verified. Requires the scope email."`
	OrgID     string   `json:"org_id,omitzero" doc:"ID of the workspace that the person acts in. Requires the scope org."`
	Roles     []string `json:"roles,omitzero" doc:"Roles of the person in the workspace that owns the app. Absent for people who are not members there. Requires the scope roles. See any_workspace of APP.REGISTER."`
	Groups    []string `json:"groups,omitzero" doc:"Groups of the person in the same workspace as the roles. Requires the scope groups."`
	Actor     *Actor   `json:"act,omitzero" doc:"The support agent who acts as the person (RFC 8693, section 4.1). Absent if nobody does."`
}

// Actor is who acts as a person.
type Actor struct {
	Subject string `json:"sub" doc:"User ID of the support agent."`
}

// Person is what is known about the person of a token or a UserInfo response.
type Person struct {
	Account user.Snapshot
	// Subject is how the app knows them, Org the workspace that they act in.
	Subject string
	Org     workspace.ID
	oauth.Affiliation
	// App is the app that is told; nil for the person themself.
	App *app.Snapshot
	// Scopes and Named are the scopes and the single claims that it may have.
	Scopes, Named []string
}

// has reports whether a claim is among those that the app may have.
func (p *Person) has(claim string) bool {
	return slices.Contains(p.Scopes, oauth.ScopeOf(claim)) || slices.Contains(p.Named, claim)
}

// Claims returns the standard claims about a person, and the custom claims of the app.
func (s *Service) Claims(ctx context.Context, p *Person) (PersonClaims, map[string]any, error) {
	standard := p.standard()
	if p.App == nil || len(p.App.Claims) == 0 {
		return standard, nil, nil
	}
	custom, err := s.Custom.Evaluate(ctx, *p.App, p.facts())
	if err != nil {
		return PersonClaims{}, nil, err
	}
	return standard, p.override(&standard, custom), nil
}

func (p *Person) standard() PersonClaims {
	var c PersonClaims
	include := func(claim string, set func()) {
		if p.has(claim) {
			set()
		}
	}
	include("name", func() { c.Name = p.Account.DisplayName })
	include("preferred_username", func() { c.Username = p.Account.Username() })
	include("given_name", func() { c.Given = p.Account.GivenName() })
	include("family_name", func() { c.Family = p.Account.FamilyName() })
	include("picture", func() { c.Picture = p.Account.Avatar })
	include("locale", func() { c.Locale = p.Account.Locale })
	include("zoneinfo", func() { c.Zone = p.Account.Timezone })
	include("updated_at", func() { c.UpdatedAt = p.Account.UpdatedAt.Unix() })
	include("email", func() { c.Email = p.Account.Email.String() })
	include("email_verified", func() { c.Verified = &p.Account.EmailVerified })
	include("org_id", func() { c.OrgID = p.Org.String() })
	include("roles", func() { c.Roles, c.OrgID = p.Roles, cmp.Or(c.OrgID, p.Affiliation.Org.String()) })
	include("groups", func() { c.Groups, c.OrgID = p.Groups, cmp.Or(c.OrgID, p.Affiliation.Org.String()) })
	return c
}

// override replaces standard claims by custom ones, and returns the others. A value of
// the wrong type, or of a claim that the app may not have, replaces nothing.
func (p *Person) override(standard *PersonClaims, custom map[string]jsontext.Value) map[string]any {
	places := map[string]func(jsontext.Value){
		"preferred_username": into(&standard.Username), "given_name": into(&standard.Given), "family_name": into(&standard.Family), "groups": into(&standard.Groups),
	}
	others := make(map[string]any, len(custom))
	for name, value := range custom {
		replace, is := places[name]
		switch {
		case !is:
			others[name] = value
		case p.has(name):
			replace(value)
		}
	}
	return others
}

// into returns a function that sets a claim to a value of its type.
func into[T any](claim *T) func(jsontext.Value) {
	return func(value jsontext.Value) {
		var read T
		if json.Unmarshal(value, &read) == nil {
			*claim = read
		}
	}
}

// facts returns the values that custom claims may use: those that the scopes of the token
// give, and data of the account's administrators for members of the app's workspace only.
// The others are null.
func (p *Person) facts() map[string]any {
	person := claims.Person{Account: p.Account}
	facts := person.Facts()
	facts["id"], facts["roles"], facts["groups"] = p.Subject, p.Roles, p.Groups
	for fact, claim := range map[string]string{
		"email": "email", "email_verified": "email_verified", "display_name": "name", "locale": "locale", "timezone": "zoneinfo", "roles": "roles", "groups": "groups",
	} {
		if !p.has(claim) {
			facts[fact] = nil
		}
	}
	if !p.Owned {
		facts["external_id"], facts["metadata_json"], facts["created_at"] = nil, nil, nil
	}
	return facts
}
