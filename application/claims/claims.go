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

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
)

// maxClaims bounds the names and values of all custom claims of a token, in bytes
// of JSON, so that the token stays below what verifiers take.
const maxClaims = 4 << 10

// ErrTooLarge says that the custom claims of an app do not fit a token.
var ErrTooLarge = fault.New(fault.Validation, "the custom claims of the app have more than 4 KiB: shorten them with APP.SET_CLAIMS")

// Service evaluates claims.
type Service struct {
	Expressions outbound.Expressions
	Workspaces  outbound.WorkspaceDirectory
	// Users and Accounts tell of the person whom a preview is for.
	Users    outbound.UserDirectory
	Accounts outbound.Accounts
	Clock    outbound.Clock
	// Issuer is the public address of the instance.
	Issuer string
}

// Check compiles expressions by the names of their claims. It fails with a
// validation fault that tells the place of the first mistake in each.
func (s *Service) Check(expressions map[string]string) error {
	var complaints []fault.Field
	for _, name := range slices.Sorted(maps.Keys(expressions)) {
		_, err := s.Expressions.Compile(expressions[name], variables())
		wrong, mistaken := errors.AsType[*outbound.ExpressionError](err)
		switch {
		case mistaken:
			complaints = append(complaints, fault.Field{Path: "/claims" + fault.Pointer(name), Message: said(wrong)})
		case err != nil:
			return fmt.Errorf("compile the expression of a claim: %w", err)
		}
	}
	if len(complaints) > 0 {
		return fault.Refuse(complaints...)
	}
	return nil
}

func said(wrong *outbound.ExpressionError) string {
	if wrong.Line == 0 {
		return wrong.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", wrong.Line, wrong.Column, wrong.Message)
}

// Evaluate gives the custom claims of a token for a person, nil for the app itself.
// A claim whose expression gives null, or does not work for this person, is left
// out. It fails with ErrTooLarge.
func (s *Service) Evaluate(ctx context.Context, a app.Snapshot, person *Person) (map[string]jsontext.Value, error) {
	if len(a.Claims) == 0 {
		return nil, nil
	}
	facts, err := s.facts(ctx, a, person)
	if err != nil {
		return nil, err
	}
	given, size := map[string]jsontext.Value{}, 0
	for name, source := range a.Claims {
		value, err := s.one(ctx, source, facts)
		if err != nil {
			return nil, err
		}
		if value != nil {
			given[name] = value
			size += len(name) + len(value)
		}
	}
	if size > maxClaims {
		return nil, ErrTooLarge
	}
	return given, nil
}

// one evaluates one expression; nil when it gives nothing.
func (s *Service) one(ctx context.Context, source string, facts map[string]any) (jsontext.Value, error) {
	compiled, err := s.Expressions.Compile(source, variables())
	if err == nil {
		var value jsontext.Value
		value, err = compiled.Evaluate(ctx, facts)
		if err == nil && value.Kind() != 'n' {
			return value, nil
		}
	}
	if _, mistaken := errors.AsType[*outbound.ExpressionError](err); err != nil && !mistaken {
		return nil, fmt.Errorf("evaluate the expression of a claim: %w", err)
	}
	return nil, nil
}

// facts gives the variables their values. The workspace is read when an expression
// may ask for it.
func (s *Service) facts(ctx context.Context, a app.Snapshot, person *Person) (map[string]any, error) {
	facts := map[string]any{"user": nil, "workspace": nil, "app": appFacts(a)}
	if person != nil {
		facts["user"] = person.facts()
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
