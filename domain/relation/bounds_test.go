package relation_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
)

// lines is a model of a type t with so many relations, and a relation p to others of it.
func lines(count int, line func(i int) string) string {
	all := []string{"define p: [t]"}
	for i := range count {
		all = append(all, line(i))
	}
	return of(all...)
}

// allocated returns how many bytes it takes to parse a model, whatever the answer is.
func allocated(text string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = relation.ParseDSL(text)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Four times as many relations take about four times as much to parse. It counts bytes,
// so it does not run beside other tests.
func TestParsingIsLinear(t *testing.T) { //nolint:paralleltest // measures what the process allocates
	for name, model := range map[string]func(count int) string{
		"a ring over parents": func(count int) string {
			return lines(count, func(i int) string { return fmt.Sprintf("define r%d: [user] or r%d from p", i, (i+1)%count) })
		},
		"a ring of usersets": func(count int) string {
			return lines(count, func(i int) string { return fmt.Sprintf("define r%d: [user, t#r%d]", i, (i+1)%count) })
		},
		"a ring that nobody can enter": func(count int) string {
			return lines(count, func(i int) string { return fmt.Sprintf("define r%d: [t#r%d]", i, (i+1)%count) })
		},
		"a ring of itself": func(count int) string {
			return lines(count, func(i int) string { return fmt.Sprintf("define r%d: r%d", i, (i+1)%count) })
		},
		"a chain": func(count int) string {
			return lines(count, func(i int) string { return fmt.Sprintf("define r%03d: [user] or r%03d", i, min(i+1, count-1)) }) +
				"    define last: [user]\n"
		},
		"one that takes all": func(count int) string {
			names := make([]string, count)
			for i := range names {
				names[i] = fmt.Sprintf("r%d from p", i)
			}
			return lines(count, func(i int) string { return fmt.Sprintf("define r%d: [user]", i) }) +
				"    define all: " + strings.Join(names, " or ") + "\n"
		},
	} {
		few, many := allocated(model(240)), allocated(model(960))
		if many > 6*few {
			t.Errorf("%s: 240 relations take %d bytes, 960 take %d", name, few, many)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	direct := func(i int) string { return fmt.Sprintf("define r%d: [user]", i) }
	operands := func(count int) string {
		return of("define a: [user]", "define b: a"+strings.Repeat(" or a", count-1))
	}
	listed := func(count int) string {
		return lines(count, func(i int) string { return fmt.Sprintf("define r%d: [user, user:*, t, t:*, t#p]", i) })
	}
	for text, want := range map[string]string{
		lines(999, direct):  "",
		lines(1000, direct): "has too many relations (1,001; at most 1,000)",
		operands(4998):      "",
		operands(4999):      "has too many operators and operands (5,001; at most 5,000)",
		listed(499):         "",
		listed(500):         "has too many subject types listed in relations (2,501; at most 2,500)",
	} {
		_, err := relation.ParseDSL(text)
		refused, _ := errors.AsType[*fault.Error](err)
		switch {
		case want == "" && err != nil:
			t.Errorf("ParseDSL(%.60q) = %v", text, err)
		case want != "" && (refused == nil || !strings.Contains(refused.Message, want) || refused.Fields[0].Path != "/model"):
			t.Errorf("ParseDSL(%.60q) = %v, want %q", text, err, want)
		}
	}
}

// A model that was stored before the bounds stays in force.
func TestRestoreExceedsBounds(t *testing.T) {
	t.Parallel()
	var relations, direct []string
	for i := range 1001 {
		relations = append(relations, fmt.Sprintf(`"r%d":{"this":{}}`, i))
		direct = append(direct, fmt.Sprintf(`"r%d":{"directly_related_user_types":[{"type":"user"}]}`, i))
	}
	text := []byte(`{"schema_version":"1.1","type_definitions":[{"type":"user"},{"type":"t","relations":{` +
		strings.Join(relations, ",") + `},"metadata":{"relations":{` + strings.Join(direct, ",") + `}}}]}`)
	if _, err := relation.Parse(text); err == nil {
		t.Error("Parse() takes 1,001 relations")
	}
	if m, err := relation.Restore(text); err != nil || m.Relation("t", "r1000") == nil {
		t.Errorf("Restore() = %v, %v", m, err)
	}
}

// crowd answers that the root has many parents, and counts what it was asked for.
type crowd struct{ parents, keys int }

func (c *crowd) Read(_ context.Context, q relation.Query) (relation.QueryResult, error) {
	c.keys += len(q.Exact) + len(q.Usersets) + len(q.Objects)
	var found relation.QueryResult
	for _, pair := range q.Objects {
		if pair.Object.ID != "root" {
			continue
		}
		for i := range c.parents {
			found.Objects = append(found.Objects, relation.Tuple{Key: relation.Key{
				Object: pair.Object, Relation: pair.Relation, Subject: relation.Subject{Object: relation.Object{Type: "t", ID: fmt.Sprint(i)}},
			}})
		}
	}
	return found, nil
}

// A question asks the store for so many keys at most, however many relations and objects there are.
func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	const mostKeys = 70_000
	for _, c := range []struct {
		relations, parents int
		deep               bool
	}{{10, 1000, false}, {100, 200, false}, {100, 990, true}, {900, 100, true}} {
		model, err := relation.ParseDSL(lines(c.relations, func(i int) string {
			next := fmt.Sprintf("r%d", i+1)
			if i == c.relations-1 {
				next = "r0 from p"
			}
			return fmt.Sprintf("define r%d: [user, t#r%d] or %s", i, i, next)
		}))
		if err != nil {
			t.Fatal(err)
		}
		reader := &crowd{parents: c.parents}
		answers, err := relation.Checker{Model: model, Reader: reader, Now: time.Unix(0, 0)}.Check(t.Context(), relation.Question{
			Object: relation.Object{Type: "t", ID: "root"}, Relation: "r0", Subject: relation.Subject{Object: relation.User("bob")},
		})
		if errors.Is(err, relation.ErrTooDeep) != c.deep || err == nil && (answers[0].Allowed || answers[0].Err != nil) || reader.keys > mostKeys {
			t.Errorf("%d relations of %d parents: %+v, %v after %d keys, want too deep: %v", c.relations, c.parents, answers, err, reader.keys, c.deep)
		}
	}
}
