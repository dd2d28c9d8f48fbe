package relations_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse.internal/domain/relation"
	"gatehouse.internal/test/relations"
)

// Models are drawn over two types of objects, each with a tupleset and a few relations;
// those that are not valid are drawn anew.
func drawModel(t *rapid.T) *relation.Model {
	text := "model\n  schema 1.1\ntype user\n"
	for _, of := range []string{"a", "b"} {
		text += "type " + of + "\n  relations\n    define up: [a, b]\n"
		for _, name := range []string{"x", "y", "z"} {
			text += "    define " + name + ": " + drawRewrite(t, 2, true) + "\n"
		}
	}
	m, err := relation.ParseDSL(text)
	if err != nil {
		return nil
	}
	return m
}

func drawRewrite(t *rapid.T, depth int, direct bool) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		return drawLeaf(t, direct)
	}
	operator := rapid.SampledFrom([]string{" or ", " or ", " and ", " but not "}).Draw(t, "operator")
	return "(" + drawRewrite(t, depth-1, direct) + operator + drawRewrite(t, depth-1, false) + ")"
}

func drawLeaf(t *rapid.T, direct bool) string {
	name := rapid.SampledFrom([]string{"x", "y", "z"})
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case direct && kind < 4:
		types := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"user:*", "a#x", "b#x", "a#y", "b#z"}), 0, 3, rapid.ID).Draw(t, "types")
		return "[" + strings.Join(append([]string{"user"}, types...), ", ") + "]"
	case kind == 4:
		return name.Draw(t, "computed")
	default:
		return name.Draw(t, "inherited") + " from up"
	}
}

func objects() []string { return []string{"a:1", "a:2", "b:1", "b:2"} }

func drawTuples(t *rapid.T, m *relation.Model) relations.Memory {
	var stored relations.Memory
	seen := map[relation.Key]bool{}
	for range rapid.IntRange(0, 25).Draw(t, "tuples") {
		object, _ := relation.ParseObject(rapid.SampledFrom(objects()).Draw(t, "object"))
		name := rapid.SampledFrom([]string{"up", "x", "y", "z"}).Draw(t, "relation")
		text := rapid.SampledFrom(append([]string{
			"user:1", "user:2", "user:1", "user:*", "a:1#x", "a:2#x", "b:1#x", "b:2#x", "a:1#y", "a:2#y", "b:1#z", "b:2#z",
		}, objects()...)).Draw(t, "subject")
		subject, _ := relation.ParseSubject(text)
		made := relation.Tuple{Key: relation.Key{Object: object, Relation: name, Subject: subject}}
		if m.Fits(made) == nil && !seen[made.Key] {
			seen[made.Key] = true
			stored = append(stored, made)
		}
	}
	return stored
}

// oracle decides every relation of every object for a subject, by the definition: it
// bounds the values from both sides until they stay. It knows nothing of the engine but
// the model.
type oracle struct {
	m       *relation.Model
	stored  relations.Memory
	subject relation.Subject
}

func (o oracle) solve() map[string]bool {
	low, high := map[string]bool{}, map[string]bool{}
	for {
		nextHigh := o.least(low)
		nextLow := o.least(nextHigh)
		if fmt.Sprint(low, high) == fmt.Sprint(nextLow, nextHigh) {
			return low
		}
		low, high = nextLow, nextHigh
	}
}

// least is what follows when what is taken away is as it is in others.
func (o oracle) least(others map[string]bool) map[string]bool {
	made := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, text := range objects() {
			object, _ := relation.ParseObject(text)
			for _, r := range o.m.Type(object.Type).Relations {
				name := text + "#" + r.Name
				if !made[name] && (name == o.subject.String() || o.holds(object, r.Name, &r.Rewrite, made, others)) {
					made[name], changed = true, true
				}
			}
		}
	}
	return made
}

func (o oracle) holds(object relation.Object, name string, w *relation.Rewrite, of, others map[string]bool) bool {
	tuples := func(name string, does func(relation.Subject) bool) bool {
		return slices.ContainsFunc(o.stored, func(t relation.Tuple) bool {
			return t.Object == object && t.Relation == name && does(t.Subject)
		})
	}
	operand := func(one relation.Rewrite) bool { return o.holds(object, name, &one, of, others) }
	switch w.Op {
	case relation.This:
		return tuples(name, func(s relation.Subject) bool {
			return s == o.subject || of[s.String()] || (s.Everybody() && !o.subject.Userset() && s.Type == o.subject.Type)
		})
	case relation.Computed:
		return of[object.String()+"#"+w.Relation]
	case relation.FromParent:
		return tuples(w.Tupleset, func(s relation.Subject) bool { return of[s.Object.String()+"#"+w.Relation] })
	case relation.Union:
		return slices.ContainsFunc(w.Operands, operand)
	case relation.Intersection:
		return !slices.ContainsFunc(w.Operands, func(one relation.Rewrite) bool { return !operand(one) })
	case relation.Difference:
	}
	return operand(w.Operands[0]) && !o.holds(object, name, &w.Operands[1], others, of)
}

// modelsPerDraw makes up for those that are not valid.
const modelsPerDraw = 8

// Whatever the model and the tuples, checks and lists say what the definition says.
func TestAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	valid := 0
	rapid.Check(t, func(t *rapid.T) {
		for range modelsPerDraw {
			if m := drawModel(t); m != nil {
				valid++
				compare(t, m, drawTuples(t, m))
			}
		}
	})
	if valid == 0 {
		t.Error("no model was valid")
	}
}

// compare holds checks and lists against the definition.
func compare(t *rapid.T, m *relation.Model, stored relations.Memory) {
	c := relation.ListChecker{Checker: relation.Checker{Model: m, Reader: stored, Now: time.Now()}, Lister: stored}
	for _, text := range []string{"user:1", "user:2", "user:3", "user:*", "a:1#x", "b:2#z", "a:1"} {
		subject, _ := relation.ParseSubject(text)
		truth := oracle{m, stored, subject}.solve()
		var questions []relation.Question
		for _, of := range objects() {
			object, _ := relation.ParseObject(of)
			for _, name := range []string{"x", "y", "z", "up"} {
				questions = append(questions, relation.Question{Object: object, Relation: name, Subject: subject})
			}
		}
		answers, err := c.Check(t.Context(), questions...)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range questions {
			name := q.Object.String() + "#" + q.Relation
			if answers[i].Err != nil || answers[i].Allowed != truth[name] {
				t.Fatalf("%s@%s = %+v, want %v, of\n%s\n%v", name, text, answers[i], truth[name], encoded(m), stored)
			}
			compareLists(t, c, q, truth)
		}
	}
}

// compareLists looks for the object of a question, and for its subject.
func compareLists(t *rapid.T, c relation.ListChecker, q relation.Question, truth map[string]bool) {
	name := q.Object.String() + "#" + q.Relation
	listed, _, err := c.Objects(t.Context(), q, relation.List{Size: 50})
	if err != nil || slices.Contains(listed, q.Object) != truth[name] {
		t.Fatalf("%s@%s: listed %v, %v, want %v, of\n%s\n%v", name, q.Subject, listed, err, truth[name], encoded(c.Model), c.Lister)
	}
	kind := q.Subject.Type
	if q.Subject.Userset() {
		kind = q.Subject.Shape()
	}
	subjects, _, err := c.Subjects(t.Context(), q, kind, relation.List{Size: 50})
	everybody := !q.Subject.Userset() && slices.ContainsFunc(subjects, relation.Subject.Everybody)
	if err != nil || (!everybody && slices.Contains(subjects, q.Subject) != truth[name]) {
		t.Fatalf("%s: subjects %v, %v, want %s: %v, of\n%s\n%v", name, subjects, err, q.Subject, truth[name], encoded(c.Model), c.Lister)
	}
}

func encoded(m *relation.Model) string {
	text, _ := m.Encode()
	return string(text)
}
