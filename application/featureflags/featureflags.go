// Package featureflags evaluates features for people and workspaces: by overrides, by what
// they own, and by the rules of the workspace that defines the features
// (spec/licenses.md section 4).
package featureflags

import (
	"context"
	"errors"
	"strconv"
	"time"

	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/engine/cache"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/licensing"
)

// Cost is the cost limit of a condition, in units of the compiler: an evaluation may
// evaluate as many as a workspace has rules.
const Cost = 500

// Service decides about features.
type Service struct {
	Directory   licensing.FeatureDirectory
	Expressions *expressions.Compiler
	// Language compiles single conditions, and bounds each by Cost.
	Language outbound.Expressions
	// People reads members of a workspace.
	People interface {
		Person(ctx context.Context, org workspace.ID, id user.ID) (*claims.Person, error)
	}
	Clock outbound.Clock

	// sets keeps the features that each workspace had last. They are asked for with the
	// revision that is known, so that nothing kept can turn wrong.
	sets cache.Cache[workspace.ID, *set]
}

// Input are the inputs of an evaluation.
type Input struct {
	// Org is the workspace that defines the features.
	Org workspace.ID
	// User and Workspace are the subjects; "" for none.
	User      user.ID
	Workspace workspace.ID
	// Called is the application's identifier of a person without an account; "" for
	// none.
	Called string
	// Person is what is known of the user; nil to read it if a rule needs it.
	Person *claims.Person
	// Product restricts owned features to a product; "" for any.
	Product    product.ID
	Attributes map[string]any
	// Keys are the features; nil for all that there are.
	Keys []feature.Key
	// Owned restricts nil Keys to owned and overridden features.
	Owned bool
}

// Answer is the result of an evaluation.
type Answer struct {
	Features map[feature.Key]feature.Decision
	// Licensed reports whether there is a license that holds.
	Licensed bool
}

// Decide evaluates features with one read of the store, or two if a rule needs more of
// a person than the identifier. Unknown features are omitted.
func (s *Service) Decide(ctx context.Context, ask Input) (Answer, error) {
	known, _ := s.sets.Last(ask.Org)
	query := licensing.HoldingsQuery{
		Org: ask.Org, Person: feature.Target{UserID: ask.User}, Workspace: feature.Target{OrgID: ask.Workspace},
		Product: ask.Product, Now: s.Clock.Now().Truncate(time.Microsecond),
	}
	if known != nil {
		query.Known = known.revision
	}
	held, err := s.Directory.Holdings(ctx, query)
	if err != nil {
		return Answer{}, err
	}
	if known == nil || known.revision != held.Revision {
		known = s.build(known, held)
		s.sets.Keep(ask.Org, known, known.size, room)
	}
	d := &decision{service: s, ask: ask, held: held.Holdings, subject: subject(ask), met: map[string]bool{}}
	features, err := d.all(ctx, known)
	return Answer{features, held.Licensed}, err
}

// subject returns the subject of rollouts.
func subject(ask Input) feature.Subject {
	who := feature.Subject{User: ask.User.String(), Org: ask.Workspace.String()}
	if who.User == "" {
		who.User = ask.Called
	}
	return who
}

// Check fails with a validation fault that names the conditions of rules which do not
// compile, or are neither true nor false.
func (s *Service) Check(ctx context.Context, org workspace.ID, rules []feature.Rule) error {
	if err := s.Expressions.Prepare(ctx, org, s.sources(rules)...); err != nil {
		return err
	}
	var wrong []fault.Field
	for i, r := range rules {
		if r.When == "" {
			continue
		}
		_, err := s.compile(ctx, org, r.When)
		mistake, mistaken := errors.AsType[*outbound.ExpressionError](err)
		switch {
		case mistaken:
			wrong = append(wrong, fault.Field{Path: "/rules/" + strconv.Itoa(i) + "/when", Message: mistake.Said()})
		case err != nil:
			return err
		}
	}
	if wrong == nil {
		return nil
	}
	return fault.Refuse(wrong...)
}

// sources returns the conditions of rules.
func (s *Service) sources(rules []feature.Rule) []expressions.Source {
	var all []expressions.Source
	for _, r := range rules {
		if r.When != "" {
			all = append(all, s.source(r.When))
		}
	}
	return all
}

func (s *Service) source(text string) expressions.Source {
	return expressions.Source{Text: text, Dialect: expressions.NewDialect("features", s.Language, []outbound.Variable{
		claims.Variable(),
		{Name: "org", Fields: []outbound.VariableField{{Name: "id", Type: outbound.TextField}}},
		{Name: "attributes", Type: outbound.MapValue, Of: outbound.AnyField},
	})}
}

// compile reads the condition of a rule. It fails with an *outbound.ExpressionError.
func (s *Service) compile(ctx context.Context, org workspace.ID, text string) (outbound.Expression, error) {
	made, err := s.Expressions.Compile(ctx, org, s.source(text))
	if err == nil && !made.Boolean() {
		return nil, &outbound.ExpressionError{Message: "the expression must return true or false"}
	}
	return made, err
}
