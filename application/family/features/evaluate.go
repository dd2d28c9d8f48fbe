package features

import (
	"context"

	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/featureflags"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// targetingKey is the attribute by which OpenFeature names whom an evaluation is for.
const targetingKey = "targetingKey"

var errTarget = fault.Unfit("/attributes/targetingKey", "must be a string")

// EvaluateParams are the parameters of FEATURE.EVALUATE.
type EvaluateParams struct {
	Keys       []feature.Key  `json:"keys,omitzero" doc:"Keys of the features to evaluate. Unknown keys are left out of the result. Omit to evaluate all features of the workspace or, as a buyer, all features you own." jsonschema:"maxItems=1000" example:"-"`
	ProductID  product.Ref    `json:"product_id,omitzero" doc:"ID or slug of a product whose seller defines the features. Licenses for other products do not count then. Omit to use the features of the active workspace." example:"-"`
	UserID     user.ID        `json:"user_id,omitzero" doc:"Account to evaluate for. If user_id, org_id and targetingKey are all omitted, your own account is used." example:"-"`
	OrgID      workspace.ID   `json:"org_id,omitzero" doc:"Workspace to evaluate for. If user_id, org_id and targetingKey are all omitted, the active workspace is used." example:"-"`
	Attributes map[string]any `json:"attributes,omitzero" doc:"Attributes that rules can read. As in OpenFeature, targetingKey names the subject: the ID of an account or workspace, or any string your application uses. An empty targetingKey means nobody."`
}

// EvaluateResult is the result of FEATURE.EVALUATE.
type EvaluateResult struct {
	Features map[feature.Key]feature.Decision `json:"features" doc:"Decisions, by feature key."`
}

func (s *Service) evaluate() command.Definition {
	return command.Define(command.Spec[EvaluateParams, EvaluateResult]{
		Name:    "FEATURE.EVALUATE",
		Summary: "Evaluate features for a person or workspace.",
		Description: "The first of these sources that has a value decides:\n\n" +
			"1. An override for the person\n" +
			"2. An override for the workspace\n" +
			"3. A license\n" +
			"4. A subscription\n" +
			"5. The first rule that matches\n" +
			"6. The default\n\n" +
			"Evaluating for another person or workspace requires `features:read`.",
		Access: access.Anybody(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p EvaluateParams) (EvaluateResult, error) {
			ask, err := subjects(call.Caller, p)
			if err != nil {
				return EvaluateResult{}, err
			}
			public, err := s.seller(ctx, call.Caller, p.ProductID, &ask)
			if err != nil {
				return EvaluateResult{}, err
			}
			ask.Owned = !call.Caller.Sees(ask.Org)
			answer, err := s.Deciding.Decide(ctx, ask)
			if err == nil && ask.Owned && !public && !answer.Licensed {
				err = product.ErrNotFound
			}
			return EvaluateResult{answer.Features}, err
		},
	})
}

// subjects returns whom a call asks for: those it names, else the caller. It fails where they
// are others and the caller may not ask for them.
func subjects(caller access.Caller, p EvaluateParams) (featureflags.Input, error) {
	ask := featureflags.Input{User: p.UserID, Workspace: p.OrgID, Attributes: p.Attributes, Keys: p.Keys}
	target, named := p.Attributes[targetingKey]
	called, text := target.(string)
	switch {
	case named && !text:
		return ask, errTarget
	case ask.User != "" || ask.Workspace != "":
	case named:
		target := aim(called)
		ask.User, ask.Workspace, ask.Called = target.User, target.Workspace, target.Called
	case caller.User != "":
		ask.User, ask.Workspace = caller.User, caller.Org
	}
	if others(caller, ask) {
		return ask, access.Holding(reading).Check(caller)
	}
	return ask, nil
}

// aim reads whom a targetingKey names.
func aim(called string) featureflags.Input {
	if person, err := user.ParseID(called); err == nil {
		return featureflags.Input{User: person}
	}
	if org, err := workspace.ParseID(called); err == nil {
		return featureflags.Input{Workspace: org}
	}
	return featureflags.Input{Called: called}
}

// others reports whether somebody is asked for who is neither the caller nor the workspace
// that they act in.
func others(caller access.Caller, ask featureflags.Input) bool {
	return ask.User != "" && ask.User != caller.User || ask.Workspace != "" && ask.Workspace != caller.Org
}

// seller finds whose features are asked for, and reports whether anybody may know of the
// product. It fails with workspace.ErrNotFound, or with product.ErrNotFound where others are
// asked for outside of the seller's workspace.
func (s *Service) seller(ctx context.Context, caller access.Caller, ref product.Ref, ask *featureflags.Input) (public bool, err error) {
	if ref == "" {
		ask.Org, err = home(caller)
	} else {
		var found product.Snapshot
		found, err = s.Products.Find(ctx, ref)
		ask.Org, ask.Product, public = found.OrgID, found.ID, found.Public
	}
	if err == nil && !caller.Sees(ask.Org) && others(caller, *ask) {
		err = product.ErrNotFound
	}
	if ask.User != "" && ask.User == caller.User {
		ask.Person = self(caller, ask.Org)
	}
	return public, err
}

// self returns what is known of the caller. Their roles are those of the workspace that they act
// in, and mean nothing elsewhere.
func self(caller access.Caller, org workspace.ID) *claims.Person {
	person := &claims.Person{Account: caller.Profile}
	if caller.Org == org {
		person.EffectiveRoles = role.EffectiveRoles{Roles: caller.Roles}
	}
	return person
}
