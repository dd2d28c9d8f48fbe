package main

import (
	"context"
	"fmt"
	"time"
)

// What a large store may cost, as multiples of a small one.
const (
	growthP50 = 1.3
	growthP99 = 2.0
	// How many members the workspace of many has, and usually.
	smallCrowd, largeCrowd, usualCrowd = 100, 100_000, 10_000
)

// smallStore is what a large one is compared with.
func smallStore(o options) population {
	return population{users: 1000, sessions: max(5000, o.sessions), tokens: 1000, crowd: smallCrowd, licenses: smallLicenses, grants: smallGrants}
}

// compareSizes measures the same on a small and on a large store, taking turns.
func compareSizes(ctx context.Context, w *workshop, o options, store string, r *report) error {
	// The large one comes first: the tokens of the small one are not to expire
	// while it is filled.
	began := time.Now()
	large, err := w.sized(ctx, o, store, "large", population{users: o.users, sessions: o.storedSessions, tokens: o.storedTokens, crowd: largeCrowd, licenses: o.licenses, grants: o.grants})
	if err != nil {
		return err
	}
	defer large.close()
	filled := time.Since(began)
	small, err := w.sized(ctx, o, store, "small", smallStore(o))
	if err != nil {
		return err
	}
	defer small.close()
	r.printf("\n%s: %s (made in %s) against %s, at %d connections; medians of %d runs\n",
		store, large.people, filled.Round(time.Second), small.people, o.growthConnections, o.runs)
	r.printf("%-17s %10s %10s %10s %10s  %8s %8s\n", "name", "small p50", "large p50", "small p99", "large p99", "p50", "p99")
	for _, s := range scenarios() {
		if s.bare == bareAnswer || s.name == "health" || !o.wants(s.name) {
			continue
		}
		if err := compareOne(ctx, o, s, small, large, r); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if store == postgresStore {
		return explain(ctx, large, r)
	}
	return nil
}

func (w *workshop) sized(ctx context.Context, o options, store, name string, size population) (*instance, error) {
	db, err := w.database(ctx, store, name)
	if err != nil {
		return nil, err
	}
	i, err := w.prepare(ctx, db, size, o.sessions)
	if err != nil {
		return nil, fmt.Errorf("the %s store: %w", name, err)
	}
	return i, nil
}

func compareOne(ctx context.Context, o options, s scenario, small, large *instance, r *report) error {
	for _, i := range []*instance{small, large} {
		c := contest{i: i, scenario: s, connections: o.growthConnections, options: o}
		if err := c.prepare(ctx); err != nil {
			return err
		}
	}
	var before, after []sample
	for range o.runs {
		for _, side := range []struct {
			i    *instance
			into *[]sample
		}{{small, &before}, {large, &after}} {
			c := contest{i: side.i, scenario: s, connections: o.growthConnections, options: o}
			got, err := c.served().measure(ctx)
			if err != nil {
				return err
			}
			*side.into = append(*side.into, got)
		}
	}
	a, b := merge(before), merge(after)
	p50, p99 := float64(b.p50)/float64(a.p50), float64(b.p99)/float64(a.p99)
	r.printf("%-17s %10s %10s %10s %10s  %4.2f %s %4.2f", s.name, millis(a.p50), millis(b.p50), millis(a.p99), millis(b.p99),
		p50, r.verdict(p50 <= growthP50), p99)
	if s.tail {
		r.printf(" %s", r.verdict(p99 <= growthP99))
	}
	r.printf("\n")
	return nil
}
