package licence_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
)

// Every code is reached, and those that come first in the specification decide: each case
// has all that would lead to later codes as well.
func TestJudge(t *testing.T) {
	t.Parallel()
	wrong := func() licence.Standing {
		terms := licence.Plain()
		terms.Starts, terms.MachineBound, terms.MaxMachines = licence.AtActivation, true, 1
		terms.Floating, terms.Seats, terms.OnExpiry, terms.GraceDays = true, 1, licence.Grace, 1
		return licence.Standing{
			Licence:  licence.Snapshot{ProductID: table, Status: licence.Revoked, Terms: terms, ExpiresAt: noon().Add(-2 * day)},
			Machines: 0, Leases: 1, Spent: true,
		}
	}
	ask := licence.Ask{Machine: true, Product: "prd_01jd7x9k2mf3q8v5t0abcdefgx", Features: []feature.Key{"export"}}
	s := wrong()
	for _, step := range []struct {
		want licence.Code
		mend func()
	}{
		{licence.IsRevoked, func() { s.Licence.Status = licence.Suspended }},
		{licence.IsSuspended, func() { s.Licence.Status = licence.Active }},
		{licence.ProductMismatch, func() { ask.Product = product.Ref(table) }},
		{licence.NotStarted, func() { s.Licence.ActivatedAt = noon().Add(-9 * day) }},
		{licence.IsExpired, func() { s.Licence.ExpiresAt = noon().Add(-time.Hour) }},
		{licence.MachineMismatch, func() { s.Machines = 1 }},
		{licence.TooManyMachines, func() { s.Machine = "mch_01jd7x9k2mf3q8v5t0abcdefgh" }},
		{licence.HeartbeatLapsed, func() { s.Alive = true }},
		{licence.NoSeats, func() { s.Leased = true }},
		{licence.MeterExceeded, func() { s.Spent = false }},
		{licence.FeatureMissing, func() { s.Licence.Terms.Features = feature.Values{"export": true} }},
		{licence.InGrace, func() { s.Licence.ExpiresAt = noon().Add(time.Hour) }},
		{licence.Valid, func() {}},
	} {
		if got := licence.Judge(s, ask, noon()); got != step.want {
			t.Errorf("Judge() = %s, want %s", got, step.want)
		}
		step.mend()
	}
}

// What lets a licence be valid beside the obvious.
func TestJudgeRoom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   func(*licence.Standing)
		ask  licence.Ask
		want licence.Code
	}{
		"an unknown machine, not bound": {func(s *licence.Standing) { s.Machines = 9 }, licence.Ask{Machine: true}, licence.Valid},
		"a feature of the product": {
			func(s *licence.Standing) { s.Sold = feature.Values{"export": true} }, licence.Ask{Features: []feature.Key{"export"}}, licence.Valid,
		},
		"a feature that it switches off": {
			func(s *licence.Standing) {
				s.Sold, s.Licence.Terms.Features = feature.Values{"export": true}, feature.Values{"export": false}
			}, licence.Ask{Features: []feature.Key{"export"}}, licence.FeatureMissing,
		},
		"the product by its slug":           {func(s *licence.Standing) { s.Product = "table" }, licence.Ask{Product: "table"}, licence.Valid},
		"another product by its slug":       {func(s *licence.Standing) { s.Product = "table" }, licence.Ask{Product: "chair"}, licence.ProductMismatch},
		"bound, no machine named":           {func(s *licence.Standing) { s.Licence.Terms.MachineBound = true }, licence.Ask{}, licence.MachineMismatch},
		"full, with room over the limit":    {func(s *licence.Standing) { full(s, licence.Half, 5) }, licence.Ask{Machine: true}, licence.MachineMismatch},
		"full over the limit":               {func(s *licence.Standing) { full(s, licence.Half, 6) }, licence.Ask{Machine: true}, licence.TooManyMachines},
		"full by a quarter":                 {func(s *licence.Standing) { full(s, licence.Quarter, 5) }, licence.Ask{Machine: true}, licence.TooManyMachines},
		"without a limit over the limit":    {func(s *licence.Standing) { full(s, licence.AnyOverage, 99) }, licence.Ask{Machine: true}, licence.MachineMismatch},
		"a feature that is off":             {func(s *licence.Standing) { s.Licence.Terms.Features = feature.Values{"a": false} }, licence.Ask{Features: []feature.Key{"a"}}, licence.FeatureMissing},
		"a feature that is a number":        {func(s *licence.Standing) { s.Licence.Terms.Features = feature.Values{"a": 3.0} }, licence.Ask{Features: []feature.Key{"a"}}, licence.Valid},
		"floating without a limit of seats": {func(s *licence.Standing) { s.Licence.Terms.Floating, s.Leases = true, 99 }, licence.Ask{}, licence.Valid},
	} {
		s := licence.Standing{Licence: licence.Snapshot{ProductID: table, Status: licence.Active, Terms: licence.Plain()}}
		c.of(&s)
		if got := licence.Judge(s, c.ask, noon()); got != c.want {
			t.Errorf("%s: Judge() = %s, want %s", name, got, c.want)
		}
	}
}

// full is a licence for four machines that has so many.
func full(s *licence.Standing, overage licence.Overage, machines int) {
	s.Licence.Terms.MachineBound, s.Licence.Terms.MaxMachines, s.Licence.Terms.Overage, s.Machines = true, 4, overage, machines
}
