package permissions

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/user"
)

// byRelation goes before the relation that allows an action on one object.
const byRelation = "relation:"

// vias names what allows each of some actions, "" where nothing does. Where the relation
// model of the workspace gives the type of a single object a relation of the action's name,
// that decides, whatever roles say; superadmins are asked about nothing, and a scope still
// bounds a key. It fails with relation.ErrTooDeep, and where a condition lacks its context.
func (s *Service) vias(ctx context.Context, of subject, at func(int) string, checks ...Check) ([]string, error) {
	found := make([]string, len(checks))
	for i, c := range checks {
		found[i] = of.via(permission(c.Resource, c.Action))
	}
	if of.superadmin || of.person == "" || !slices.ContainsFunc(checks, Check.single) {
		return found, nil
	}
	model, err := s.Relating.Current(ctx, of.org)
	if errors.Is(err, relation.ErrNoModel) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	questions, places := related(model, of, found, checks)
	if len(questions) == 0 {
		return found, nil
	}
	answer, err := s.Relating.Check(ctx, of.org, "", func(i int) string { return at(places[i]) }, questions...)
	if err != nil {
		return nil, aboutResource(err)
	}
	for i, allowed := range answer.Allowed {
		if allowed {
			found[places[i]] = byRelation + questions[i].Relation
		}
	}
	return found, nil
}

// related returns what a model is to be asked in the place of roles, and which checks that
// decides; what roles say of these is taken back.
func related(model *relation.Model, of subject, found []string, checks []Check) (questions []relation.Question, places []int) {
	for i, c := range checks {
		if !c.decidedBy(model) {
			continue
		}
		question, fits := c.question(model, of.person)
		if scoped := of.scoped != nil && found[i] == ""; scoped || !fits {
			found[i] = "" // Nobody can be related to it, or the key may not know.
			continue
		}
		found[i], places = "", append(places, i)
		questions = append(questions, question)
	}
	return questions, places
}

// decidedBy reports whether a model decides a check in the place of roles.
func (c Check) decidedBy(model *relation.Model) bool {
	kind, _, single := strings.Cut(c.Resource, "/")
	return single && model.Relation(kind, c.Action) != nil
}

// question returns what a check asks the relations about a person; it reports whether anybody
// can be related to the resource.
func (c Check) question(model *relation.Model, person user.ID) (relation.Question, bool) {
	kind, id, _ := strings.Cut(c.Resource, "/")
	subject := relation.Subject{Object: relation.User(person.String())}
	object, err := relation.ParseObject(kind + ":" + id)
	fits := err == nil && model.Asked(kind, c.Action, subject) == nil
	return relation.Question{Object: object, Relation: c.Action, Subject: subject}, fits
}

// single reports whether a check is about one thing of a type.
func (c Check) single() bool { return strings.Contains(c.Resource, "/") }

// aboutResource words a fault of a question about its resource: a permission is asked for
// without a context.
func aboutResource(err error) error {
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || len(refused.Fields) == 0 {
		return err
	}
	fields := slices.Clone(refused.Fields)
	for i := range fields {
		fields[i].Path = strings.TrimSuffix(fields[i].Path, "/context")
	}
	return fault.Refuse(fields...)
}
