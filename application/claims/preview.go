package claims

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/application/strictjson"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// placeholder stands for the identifier that a token gets when it is issued.
const placeholder = "00000000-0000-0000-0000-000000000000"

var errNoPerson = fault.Unfit("/user_id", "is missing: the app lacks the grant type client_credentials, so all its tokens are for people")

// Ask is what token a preview is of.
type Ask struct {
	// Person is whom the token is for; empty for the app itself.
	Person user.ID
	// Scopes are asked for; nil asks for all that are granted.
	Scopes   []string
	Audience string
}

// Preview is what a token would carry.
type Preview struct {
	Claims map[string]any
	// Dropped are the scopes asked for that it would not get.
	Dropped []string
}

// Preview gives the claims that a token would carry. It fails with
// user.ErrNotFound when the person does not belong to the workspace of the app,
// and with a validation fault when there would be no such token.
func (s *Service) Preview(ctx context.Context, a app.Snapshot, ask Ask) (Preview, error) {
	if ask.Person == "" && !a.May(app.ClientCredentials) {
		return Preview{}, errNoPerson
	}
	person, err := s.person(ctx, a.OrgID, ask.Person)
	if err != nil {
		return Preview{}, err
	}
	custom, err := s.Evaluate(ctx, a, person)
	if err != nil {
		return Preview{}, err
	}
	asked := ask.Scopes
	if asked == nil {
		asked = a.Scopes
	}
	scopes := remaining(a, person, asked)
	now := s.Clock.Now()
	carried := map[string]any{
		"iss": s.Issuer, "sub": a.Slug, "azp": a.Slug, "client_id": a.Slug, "aud": cmp.Or(ask.Audience, s.Issuer),
		"exp": now.Add(a.TokenLife(0)).Unix(), "iat": now.Unix(), "jti": placeholder,
		"scope": strings.Join(scopes, " "), "org_id": a.OrgID.String(),
	}
	if person != nil {
		carried["sub"], carried["email"] = person.Account.ID.String(), person.Account.Email.String()
		carried["roles"] = person.Roles
	}
	for name, value := range custom {
		carried[name] = value
	}
	if err := fits(carried, scopes); err != nil {
		return Preview{}, err
	}
	dropped := slices.DeleteFunc(slices.Clone(ask.Scopes), func(scope string) bool { return slices.Contains(scopes, scope) })
	return Preview{Claims: carried, Dropped: dropped}, nil
}

// fits fails where nobody would get a token with these claims.
func fits(carried map[string]any, scopes []string) error {
	payload, err := strictjson.Encode(carried)
	if err != nil {
		return fmt.Errorf("encode the claims of a preview: %w", err)
	}
	return token.Fits(strings.Join(scopes, " "), payload)
}

// remaining are the scopes that a token would get: those the app has and, of this
// service's own permissions, the person too.
func remaining(a app.Snapshot, person *Person, asked []string) []string {
	scopes := access.Remaining(asked, a.Scopes, a.Listed, a.Withdrawn)
	if person == nil {
		return scopes
	}
	held := role.Granted(person.Roles)
	return slices.DeleteFunc(scopes, func(scope string) bool { return access.IsOwn(scope) && !held.Cover(scope) })
}

// person reads a member of a workspace; nil for nobody.
func (s *Service) person(ctx context.Context, org workspace.ID, id user.ID) (*Person, error) {
	if id == "" {
		return nil, nil
	}
	memberships, err := s.Accounts.Memberships(ctx, id)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(memberships, func(m outbound.Membership) bool { return m.Org.ID == org })
	if at < 0 {
		return nil, user.ErrNotFound
	}
	account, err := s.Users.Find(ctx, outbound.UserKey{ID: id})
	if err != nil {
		return nil, err
	}
	return &Person{Account: account, Roles: workspace.LiveRoles(memberships[at].Grants, s.Clock.Now())}, nil
}
