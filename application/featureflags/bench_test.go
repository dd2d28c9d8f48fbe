package featureflags_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/application/featureflags"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// directory is a store of 500 features that takes no time.
type directory struct {
	licensing.FeatureDirectory

	features []feature.Snapshot
	reads    int
}

func (d *directory) Holdings(_ context.Context, ask licensing.HoldingsQuery) (licensing.FeatureHoldings, error) {
	d.reads++
	held := licensing.FeatureHoldings{Revision: 1}
	if ask.Known != held.Revision {
		held.Features = d.features
	}
	return held, nil
}

func (d *directory) Person(context.Context, workspace.ID, user.ID) (*claims.Person, error) {
	d.reads++
	return nil, user.ErrNotFound
}

func ruled(rules func(i int) []feature.Rule) *directory {
	d := &directory{}
	for i := range 500 {
		d.features = append(d.features, feature.Snapshot{
			Key: feature.Key(fmt.Sprintf("feature.%03d", i)), Type: feature.Bool, Default: feature.Of(false), Enabled: true, Rules: rules(i),
		})
	}
	return d
}

// What 500 features cost beside the store, encoded as they are answered.
func BenchmarkDecide(b *testing.B) {
	for name, rules := range map[string]func(i int) []feature.Rule{
		"defaults": func(int) []feature.Rule { return nil },
		"rollouts": func(int) []feature.Rule { return []feature.Rule{{Rollout: &feature.Rollout{Percent: 50}}} },
		"conditions": func(i int) []feature.Rule {
			return []feature.Rule{{When: fmt.Sprintf("attributes.plan == 'pro' && attributes.build > %d", i), Value: feature.Of(true)}}
		},
	} {
		b.Run(name, func(b *testing.B) {
			from := ruled(rules)
			s := &featureflags.Service{Directory: from, People: from, Expressions: &expressions.Compiler{}, Language: expression.Costing(featureflags.Cost), Clock: system.Clock{}}
			ask := featureflags.Input{
				Org: "org_01jd7x9k2mf3q8v5t0abcdefgh", User: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Attributes: map[string]any{"plan": "pro", "build": 250.0},
			}
			decide := func() {
				answer, err := s.Decide(b.Context(), ask)
				if err != nil || len(answer.Features) != 500 {
					b.Fatalf("decided %d, %v", len(answer.Features), err)
				}
				if _, err := strictjson.Encode(answer.Features); err != nil {
					b.Fatal(err)
				}
			}
			decide()
			b.ReportAllocs()
			for b.Loop() {
				decide()
			}
		})
	}
}

// One question is one read of the store, and a second one where a rule asks for more of a
// person than their identifier; conditions are compiled once.
func TestDecideReadsOnce(t *testing.T) {
	t.Parallel()
	for when, reads := range map[string]int{"user.id != ''": 1, "attributes.plan == 'pro'": 1, "user.email != ''": 2} {
		from := ruled(func(int) []feature.Rule { return []feature.Rule{{When: when, Value: feature.Of(true)}} })
		s := &featureflags.Service{Directory: from, People: from, Expressions: &expressions.Compiler{}, Language: expression.Costing(featureflags.Cost), Clock: system.Clock{}}
		ask := featureflags.Input{Org: "org_01jd7x9k2mf3q8v5t0abcdefgh", User: "usr_01jd7x9k2mf3q8v5t0abcdefgh"}
		for range 2 {
			before := from.reads
			if _, err := s.Decide(t.Context(), ask); err != nil || from.reads-before != reads {
				t.Errorf("%s: %d reads, %v, want %d", when, from.reads-before, err, reads)
			}
		}
	}
}

// A condition that would go through a million pairs ends after what it may cost, and does
// not hold.
func TestDecideIsBounded(t *testing.T) {
	t.Parallel()
	from := ruled(func(i int) []feature.Rule {
		return []feature.Rule{{When: fmt.Sprintf("attributes.list.all(a, attributes.list.all(b, a + b > -%d.0))", i%10), Value: feature.Of(true)}}
	})
	list := make([]any, 1000)
	for i := range list {
		list[i] = float64(i)
	}
	s := &featureflags.Service{Directory: from, People: from, Expressions: &expressions.Compiler{}, Language: expression.Costing(featureflags.Cost), Clock: system.Clock{}}
	began := time.Now()
	answer, err := s.Decide(t.Context(), featureflags.Input{Org: "org_01jd7x9k2mf3q8v5t0abcdefgh", Attributes: map[string]any{"list": list}})
	if err != nil || answer.Features["feature.001"].Source != feature.FromDefault {
		t.Errorf("decided %v, %v, want the default", answer.Features["feature.001"], err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
