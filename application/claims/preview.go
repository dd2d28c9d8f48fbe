package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// placeholder replaces the jti, which is assigned on issue.
const placeholder = "00000000-0000-0000-0000-000000000000"

var errNoPerson = fault.Unfit("/user_id", "is required: the app has no client_credentials grant, so its tokens are always for a user")

// PreviewRequest names the token to preview.
type PreviewRequest struct {
	// Person is the person of the token; empty for the app itself.
	Person user.ID
	// Scopes are the requested scopes; nil for all granted ones.
	Scopes   []string
	Audience string
}

// Preview holds the claims that a token would carry.
type Preview struct {
	Claims map[string]any
	// Dropped are the scopes asked for that it would not get.
	Dropped []string
	// DroppedClaims are the custom claims that no token carries any more.
	DroppedClaims []string
}

// Preview returns the claims that a token would carry. It fails with
// user.ErrNotFound when the person does not belong to the workspace of the app,
// and with a validation fault when there would be no such token.
func (s *Service) Preview(ctx context.Context, a app.Snapshot, ask PreviewRequest) (Preview, error) {
	if ask.Person == "" && !a.May(app.ClientCredentials) {
		return Preview{}, errNoPerson
	}
	person, err := s.Person(ctx, a.OrgID, ask.Person)
	if err != nil {
		return Preview{}, err
	}
	target, held, err := s.audience(ctx, a, ask.Audience)
	if err != nil {
		return Preview{}, err
	}
	custom, err := s.Evaluate(ctx, a, person.Facts())
	if err != nil {
		return Preview{}, err
	}
	asked := ask.Scopes
	if asked == nil {
		asked = a.Scopes
	}
	scopes := remaining(a, held, person, asked)
	now := s.Clock.Now()
	carried := map[string]any{
		"iss": s.Issuer, "sub": a.Slug, "azp": a.Slug, "client_id": a.Slug, "aud": cmp.Or(target, s.Issuer),
		"exp": now.Add(held.Life(a.TokenLife(0))).Unix(), "iat": now.Unix(), "jti": placeholder,
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
	_, withheld := a.TokenClaims()
	return Preview{Claims: carried, Dropped: dropped, DroppedClaims: withheld}, nil
}

// audience returns the audience of a token, empty for this service, and its owner. It
// fails if the app may not have a token for it.
func (s *Service) audience(ctx context.Context, a app.Snapshot, asked string) (string, *resource.Audience, error) {
	target := s.Audiences.Target(asked)
	if target == "" {
		return "", nil, nil
	}
	held, err := s.Resources.Audience(ctx, target)
	if err != nil {
		return "", nil, err
	}
	return target, held, s.Audiences.Admit(ctx, target, held, a)
}

// fits fails if the token would exceed the size limit.
func fits(carried map[string]any, scopes []string) error {
	payload, err := strictjson.Encode(carried)
	if err != nil {
		return fmt.Errorf("encode the claims of a preview: %w", err)
	}
	return token.Fits(strings.Join(scopes, " "), payload)
}

// remaining returns the scopes that a token would get: those the app has and, of this
// service's own permissions, the person too.
func remaining(a app.Snapshot, held *resource.Audience, person *Person, asked []string) []string {
	scopes := held.Remaining(a, asked)
	if person == nil {
		return scopes
	}
	return slices.DeleteFunc(scopes, func(scope string) bool { return access.IsOwn(scope) && !person.Permissions.Cover(scope) })
}

// Person returns a member of a workspace; nil for an empty ID. It fails with
// user.ErrNotFound.
func (s *Service) Person(ctx context.Context, org workspace.ID, id user.ID) (*Person, error) {
	if id == "" {
		return nil, nil
	}
	member, err := s.Rights.Holding(ctx, org, id)
	if errors.Is(err, workspace.ErrNotMember) {
		return nil, user.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	standing, err := s.Books.Standing(ctx, member.MemberGrants, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	account, err := s.Users.Find(ctx, people.UserKey{ID: id})
	if err != nil {
		return nil, err
	}
	return &Person{Account: account, EffectiveRoles: standing}, nil
}
