package relations_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/application/rebac"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/relations"
)

// conditions evaluates them as the service does.
type conditions struct{ t *testing.T }

func (conditions) service() *rebac.Service {
	return &rebac.Service{Expressions: &expressions.Compiler{}, Language: expression.New()}
}

func (c conditions) Holds(ctx context.Context, condition *relation.Condition, values map[string]any) (bool, error) {
	compiled, err := c.service().Compile(ctx, "", condition)
	if err != nil {
		c.t.Fatalf("%s: %v", condition.Name, err)
	}
	value, err := compiled.Evaluate(ctx, values)
	if failed, ok := errors.AsType[*outbound.ExpressionError](err); ok {
		return false, &relation.ConditionError{Condition: condition.Name, Message: failed.Message}
	}
	return string(value) == "true", err
}

// checker reads a case into memory.
func checker(t *testing.T, one relations.Case) relation.ListChecker {
	t.Helper()
	model, err := relation.ParseDSL(one.Model)
	if err != nil {
		t.Fatal(err)
	}
	for _, tuple := range one.Tuples {
		if err := model.Fits(tuple); err != nil {
			t.Fatalf("%s: %v", tuple.Key, err)
		}
	}
	stored := relations.Memory(one.Tuples)
	return relation.ListChecker{
		Checker: relation.Checker{Model: model, Reader: stored, Conditions: conditions{t}, Now: time.Now()}, Lister: stored,
	}
}

func TestCases(t *testing.T) {
	t.Parallel()
	count := 0
	for _, one := range relations.Cases(t) {
		count += len(one.Checks)
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			c := checker(t, one)
			for _, check := range one.Checks {
				if got := answer(t, c, check); got != check.Want {
					t.Errorf("%s: got %s", check.Text, got)
				}
			}
		})
	}
	if count < 120 {
		t.Errorf("%d cases, want 120 at least", count)
	}
}

// What a question may take is counted in steps, not in time: what is answered alone is refused
// beside as much again, on any machine.
func TestTooManySteps(t *testing.T) {
	t.Parallel()
	one := relations.Case{Model: `model
  schema 1.1
type user
type document
  relations
    define viewer: [user, group#member with even]
type group
  relations
    define member: [user]
condition even(n: int, m: int) {
  n == m
}
`}
	const each = 1200
	for _, object := range []string{"one", "two"} {
		for n := range each {
			one.Tuples = append(one.Tuples, relation.Tuple{
				Key:       relation.Key{Object: relation.Object{Type: "document", ID: object}, Relation: "viewer", Subject: relation.Subject{Object: relation.Object{Type: "group", ID: fmt.Sprint("g", n)}, Relation: "member"}},
				Condition: "even", Context: fmt.Sprintf(`{"n": %d}`, n),
			})
		}
	}
	c := checker(t, one)
	c.Conditions = never{}
	ask := func(objects ...string) error {
		var questions []relation.Question
		for _, object := range objects {
			questions = append(questions, relation.Question{
				Object: relation.Object{Type: "document", ID: object}, Relation: "viewer",
				Subject: relation.Subject{Object: relation.Object{Type: "user", ID: "y"}}, Context: map[string]any{"m": float64(-1)},
			})
		}
		answers, err := c.Check(t.Context(), questions...)
		for _, a := range answers {
			err = errors.Join(err, a.Err)
		}
		return err
	}
	for _, object := range []string{"one", "two"} {
		if err := ask(object); err != nil {
			t.Errorf("one question: %v", err)
		}
	}
	if err := ask("one", "two"); !errors.Is(err, relation.ErrTooDeep) {
		t.Errorf("both questions: %v, want %v", err, relation.ErrTooDeep)
	}
}

// never holds nothing.
type never struct{}

func (never) Holds(context.Context, *relation.Condition, map[string]any) (bool, error) {
	return false, nil
}

func answer(t *testing.T, c relation.ListChecker, check relations.Check) string {
	t.Helper()
	object, err := relation.ParseObject(check.Object)
	subject, err2 := relation.ParseSubject(check.Subject)
	if err := errors.Join(err, err2); err != nil {
		t.Fatalf("%s: %v", check.Text, err)
	}
	answers, err := c.Check(t.Context(), relation.Question{Object: object, Relation: check.Relation, Subject: subject, Context: check.Context})
	switch {
	case err != nil:
		t.Fatalf("%s: %v", check.Text, err)
	case answers[0].Err != nil:
		return "error"
	case answers[0].Allowed:
		return "yes"
	}
	return "no"
}

// What a check allows is listed, and nothing else: objects and subjects, in pages of any
// size.
func TestListsSayWhatChecksSay(t *testing.T) {
	t.Parallel()
	for _, one := range relations.Cases(t) {
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			c := checker(t, one)
			for _, check := range one.Checks {
				if check.Want == "error" {
					continue
				}
				object, _ := relation.ParseObject(check.Object)
				subject, _ := relation.ParseSubject(check.Subject)
				of := relation.Question{Object: object, Relation: check.Relation, Subject: subject, Context: check.Context}
				for _, size := range []int{1, 50} {
					objects := listed(t, size, func(part relation.List) ([]relation.Object, string, error) {
						return c.Objects(t.Context(), of, part)
					})
					if objects != nil && slices.Contains(objects, check.Object) != (check.Want == "yes") {
						t.Errorf("%s: objects %q", check.Text, objects)
					}
					kind := subject.Type
					if subject.Userset() {
						kind = subject.Shape()
					}
					subjects := listed(t, size, func(part relation.List) ([]relation.Subject, string, error) {
						return c.Subjects(t.Context(), of, kind, part)
					})
					everybody := !subject.Userset() && slices.Contains(subjects, kind+":*")
					if subjects != nil && slices.Contains(subjects, check.Subject) != (check.Want == "yes") && !everybody {
						t.Errorf("%s: subjects %q", check.Text, subjects)
					}
				}
			}
		})
	}
}

// listed reads all pages of a list; nil when one of its candidates cannot be decided.
func listed[T interface{ String() string }](t *testing.T, size int, read func(relation.List) ([]T, string, error)) []string {
	t.Helper()
	all := []string{}
	for part := (relation.List{Size: size}); ; {
		items, next, err := read(part)
		if _, undecided := errors.AsType[*relation.ConditionError](err); undecided {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range items {
			all = append(all, one.String())
		}
		if part.After = next; next == "" {
			if !slices.IsSorted(all) {
				t.Errorf("not in order: %q", all)
			}
			return all
		}
	}
}

// More than is read for one question is refused, unless the answer is known before; a
// list goes another way then.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	model, err := relation.ParseDSL("model\n  schema 1.1\ntype user\ntype team\n  relations\n    define member: [user]\n" +
		"type document\n  relations\n    define viewer: [user, team#member]\n    define hidden: [user] but not viewer\n")
	if err != nil {
		t.Fatal(err)
	}
	user := func(id string) relation.Subject { return relation.Subject{Object: relation.User(id)} }
	object := func(of, id string) relation.Object { return relation.Object{Type: of, ID: id} }
	stored := relations.Memory{
		{Key: relation.Key{Object: object("document", "1"), Relation: "viewer", Subject: user("named")}},
		{Key: relation.Key{Object: object("document", "1"), Relation: "hidden", Subject: user("other")}},
		{Key: relation.Key{Object: object("document", "2"), Relation: "viewer", Subject: relation.Subject{Object: object("team", "m7"), Relation: "member"}}},
	}
	for n := range relation.MostTuples + 1 {
		team := relation.Subject{Object: object("team", fmt.Sprintf("t%d", n)), Relation: "member"}
		stored = append(stored,
			relation.Tuple{Key: relation.Key{Object: object("document", "1"), Relation: "viewer", Subject: team}},
			relation.Tuple{Key: relation.Key{Object: object("team", fmt.Sprintf("m%d", n)), Relation: "member", Subject: user("many")}})
	}
	c := relation.ListChecker{Checker: relation.Checker{Model: model, Reader: stored, Now: time.Now()}, Lister: stored}
	for text, want := range map[string]string{
		"document:1#viewer@user:named": "yes", "document:1#viewer@user:other": "error", "document:1#hidden@user:other": "error",
		"document:1#hidden@user:named": "no", "document:2#viewer@user:other": "no", "document:2#viewer@user:many": "yes",
	} {
		key, subject, _ := strings.Cut(text, "@")
		of, name, _ := strings.Cut(key, "#")
		if got := answer(t, c, relations.Check{Text: text, Object: of, Relation: name, Subject: subject}); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
	few := relation.ListChecker{Checker: c.Checker, Lister: stored}
	few.Reader = slices.DeleteFunc(slices.Clone(stored), func(t relation.Tuple) bool { return t.Object.ID == "1" && t.Subject.Userset() })
	listed := listed(t, 10, func(part relation.List) ([]relation.Object, string, error) {
		return few.Objects(t.Context(), relation.Question{Object: object("document", ""), Relation: "viewer", Subject: user("many")}, part)
	})
	if !slices.Equal(listed, []string{"document:2"}) {
		t.Errorf("listed %q", listed)
	}
}
