// Package claims evaluates the custom claims of apps: expressions over the person,
// the workspace and the app that a token is for.
package claims

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/engine/cache"
	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
)

// maxClaims is the maximum size of all custom claims of a token, in bytes of JSON, so
// that tokens stay within the limits of verifiers.
const maxClaims = 4 << 10

// Limits of the expressions of an app: the bytes of their source, which limit the cost
// of compiling, and the bytes of memory of the compiled form.
const (
	maxSources  = 4 << 10
	maxCompiled = 256 << 10
)

var errTooMuch = fault.Unfit("/claims", "must be at most 4 KiB in total and less complex: shorten the expressions")

// ErrTooLarge is returned if the custom claims of an app exceed the limit.
var ErrTooLarge = fault.New(fault.Validation, "the custom claims of the app exceed 4 KiB: shorten them with APP.SET_CLAIMS")

// Service evaluates claims.
type Service struct {
	Expressions *expressions.Compiler
	// Language compiles single expressions.
	Language   outbound.Expressions
	Workspaces workspaces.WorkspaceDirectory
	// Users, Rights and Books read the person of a preview.
	Users  people.UserDirectory
	Rights workspaces.Rights
	Books  *rolegrant.Books
	// Resources reads the audience of a preview, and Audiences decides about its
	// scopes.
	Resources machines.ResourceDirectory
	Audiences *audience.Rules
	Clock     outbound.Clock
	// Issuer is the public address of the instance.
	Issuer string

	// programs keeps the compiled expressions of apps, which are compared with the app as it
	// is stored each time.
	programs cache.Cache[app.ID, programs]
}

// programs are the compiled expressions of an app, without those that do not compile.
type programs struct {
	sources map[string]string
	by      map[string]outbound.Expression
}

// room is the memory limit of compiled expressions of apps, in bytes.
const room = 32 << 20

// Check compiles expressions for an app of a workspace, by claim name. It fails with a
// validation fault that contains the position of the first error in each, or with
// errTooMuch.
func (s *Service) Check(ctx context.Context, org workspace.ID, written map[string]string) error {
	length, sources := 0, s.sources(written)
	for _, source := range sources {
		length += len(source.Text)
	}
	if length > maxSources {
		return errTooMuch
	}
	if err := s.Expressions.Prepare(ctx, org, slices.Collect(maps.Values(sources))...); err != nil {
		return err
	}
	var complaints []fault.Field
	size := 0
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		made, err := s.Expressions.Compile(ctx, org, sources[name])
		wrong, mistaken := errors.AsType[*outbound.ExpressionError](err)
		switch {
		case mistaken:
			complaints = append(complaints, fault.Field{Path: "/claims" + fault.Pointer(name), Message: wrong.Said()})
		case err != nil:
			return fmt.Errorf("compile the expression of a claim: %w", err)
		default:
			size += made.Size()
		}
	}
	if len(complaints) > 0 {
		return fault.Refuse(complaints...)
	}
	if size > maxCompiled {
		return errTooMuch
	}
	return nil
}

// Evaluate returns the custom claims of a token, given the facts about the person of the
// token; nil for the app itself, whose tokens have no app.PersonClaim.
// Claims are omitted if their expression returns null, fails for this person, or
// returns an unsupported value. It fails with ErrTooLarge.
func (s *Service) Evaluate(ctx context.Context, a app.Snapshot, person map[string]any) (map[string]jsontext.Value, error) {
	if len(a.Claims) == 0 {
		return nil, nil
	}
	compiled, err := s.compiled(ctx, a)
	if err != nil {
		return nil, err
	}
	facts, err := s.facts(ctx, a, person)
	if err != nil {
		return nil, err
	}
	given, size := map[string]jsontext.Value{}, 0
	for name, program := range compiled {
		if person == nil && app.PersonClaim(name) {
			continue
		}
		value, err := program.Evaluate(ctx, facts)
		if _, mistaken := errors.AsType[*outbound.ExpressionError](err); mistaken || err == nil && jsontext.Value(value).Kind() == 'n' {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("evaluate the expression of a claim: %w", err)
		}
		given[name] = value
		size += len(name) + len(value)
	}
	if size > maxClaims {
		return nil, ErrTooLarge
	}
	return given, nil
}

// sources returns the expressions of claims, by name.
func (s *Service) sources(written map[string]string) map[string]expressions.Source {
	all, language := map[string]expressions.Source{}, expressions.NewDialect("claims", s.Language, variables())
	for name, text := range written {
		all[name] = expressions.Source{Dialect: language, Text: text}
	}
	return all
}

// compiled returns the expressions of the claims that tokens of an app carry, by name,
// without those that do not compile.
func (s *Service) compiled(ctx context.Context, a app.Snapshot) (map[string]outbound.Expression, error) {
	if found, known := s.programs.Last(a.ID); known && maps.Equal(found.sources, a.Claims) {
		return found.by, nil
	}
	made, size := programs{maps.Clone(a.Claims), map[string]outbound.Expression{}}, 0
	err := outside.Run(ctx, func(ctx context.Context) error {
		sources := s.sources(a.Claims)
		carried, _ := a.TokenClaims()
		for _, name := range carried {
			program, err := s.Expressions.Compile(ctx, a.OrgID, sources[name])
			if _, mistaken := errors.AsType[*outbound.ExpressionError](err); mistaken {
				continue
			}
			if err != nil {
				return fmt.Errorf("compile the expression of a claim: %w", err)
			}
			made.by[name] = program
			size += program.Size()
		}
		s.programs.Keep(a.ID, made, size+maxSources, room)
		return nil
	})
	return made.by, err
}

// facts returns the values of the variables. The workspace is read only if an
// expression may use it.
func (s *Service) facts(ctx context.Context, a app.Snapshot, person map[string]any) (map[string]any, error) {
	facts := map[string]any{"user": nil, "workspace": nil, "app": appFacts(a)}
	if person != nil {
		facts["user"] = person
	}
	for _, source := range a.Claims {
		if !strings.Contains(source, "workspace") {
			continue
		}
		org, err := s.Workspaces.Find(ctx, a.OrgID)
		if err != nil {
			return nil, err
		}
		facts["workspace"] = workspaceFacts(org)
		break
	}
	return facts, nil
}
