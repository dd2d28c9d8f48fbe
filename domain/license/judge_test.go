package license_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
)

// Every code is reached, and those that come first in the specification decide: each case
// has all that would lead to later codes as well.
func TestJudge(t *testing.T) {
	t.Parallel()
	wrong := func() license.State {
		terms := license.Plain()
		terms.Starts, terms.MachineBound, terms.MaxMachines = license.AtActivation, true, 1
		terms.Floating, terms.Seats, terms.OnExpiry, terms.GraceDays = true, 1, license.Grace, 1
		return license.State{
			License:  license.Snapshot{ProductID: table, Status: license.Revoked, Terms: terms, ExpiresAt: noon().Add(-2 * day)},
			Machines: 0, Leases: 1, Spent: true,
		}
	}
	ask := license.ValidationRequest{Machine: true, Product: "prd_01jd7x9k2mf3q8v5t0abcdefgx", Features: []feature.Key{"export"}}
	s := wrong()
	for _, step := range []struct {
		want license.Code
		mend func()
	}{
		{license.IsRevoked, func() { s.License.Status = license.Suspended }},
		{license.IsSuspended, func() { s.License.Status = license.Active }},
		{license.ProductMismatch, func() { ask.Product = product.Ref(table) }},
		{license.NotStarted, func() { s.License.ActivatedAt = noon().Add(-9 * day) }},
		{license.IsExpired, func() { s.License.ExpiresAt = noon().Add(-time.Hour) }},
		{license.MachineMismatch, func() { s.Machines = 1 }},
		{license.TooManyMachines, func() { s.Machine = "mch_01jd7x9k2mf3q8v5t0abcdefgh" }},
		{license.HeartbeatLapsed, func() { s.Alive = true }},
		{license.NoSeats, func() { s.Leased = true }},
		{license.MeterExceeded, func() { s.Spent = false }},
		{license.FeatureMissing, func() { s.License.Terms.Features = feature.Values{"export": true} }},
		{license.InGrace, func() { s.License.ExpiresAt = noon().Add(time.Hour) }},
		{license.Valid, func() {}},
	} {
		if got := license.Judge(s, ask, noon()); got != step.want {
			t.Errorf("Judge() = %s, want %s", got, step.want)
		}
		step.mend()
	}
}

// What lets a license be valid beside the obvious.
func TestJudgeRoom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   func(*license.State)
		ask  license.ValidationRequest
		want license.Code
	}{
		"an unknown machine, not bound": {func(s *license.State) { s.Machines = 9 }, license.ValidationRequest{Machine: true}, license.Valid},
		"a feature of the product": {
			func(s *license.State) { s.Sold = feature.Values{"export": true} }, license.ValidationRequest{Features: []feature.Key{"export"}}, license.Valid,
		},
		"a feature that it switches off": {
			func(s *license.State) {
				s.Sold, s.License.Terms.Features = feature.Values{"export": true}, feature.Values{"export": false}
			}, license.ValidationRequest{Features: []feature.Key{"export"}}, license.FeatureMissing,
		},
		"the product by its slug":           {func(s *license.State) { s.Product = "table" }, license.ValidationRequest{Product: "table"}, license.Valid},
		"another product by its slug":       {func(s *license.State) { s.Product = "table" }, license.ValidationRequest{Product: "chair"}, license.ProductMismatch},
		"bound, no machine named":           {func(s *license.State) { s.License.Terms.MachineBound = true }, license.ValidationRequest{}, license.MachineMismatch},
		"full, with room over the limit":    {func(s *license.State) { full(s, license.Half, 5) }, license.ValidationRequest{Machine: true}, license.MachineMismatch},
		"full over the limit":               {func(s *license.State) { full(s, license.Half, 6) }, license.ValidationRequest{Machine: true}, license.TooManyMachines},
		"full by a quarter":                 {func(s *license.State) { full(s, license.Quarter, 5) }, license.ValidationRequest{Machine: true}, license.TooManyMachines},
		"without a limit over the limit":    {func(s *license.State) { full(s, license.AnyOverage, 99) }, license.ValidationRequest{Machine: true}, license.MachineMismatch},
		"a feature that is off":             {func(s *license.State) { s.License.Terms.Features = feature.Values{"a": false} }, license.ValidationRequest{Features: []feature.Key{"a"}}, license.FeatureMissing},
		"a feature that is a number":        {func(s *license.State) { s.License.Terms.Features = feature.Values{"a": 3.0} }, license.ValidationRequest{Features: []feature.Key{"a"}}, license.Valid},
		"floating without a limit of seats": {func(s *license.State) { s.License.Terms.Floating, s.Leases = true, 99 }, license.ValidationRequest{}, license.Valid},
	} {
		s := license.State{License: license.Snapshot{ProductID: table, Status: license.Active, Terms: license.Plain()}}
		c.of(&s)
		if got := license.Judge(s, c.ask, noon()); got != c.want {
			t.Errorf("%s: Judge() = %s, want %s", name, got, c.want)
		}
	}
}

// full is a license for four machines that has so many.
func full(s *license.State, overage license.Overage, machines int) {
	s.License.Terms.MachineBound, s.License.Terms.MaxMachines, s.License.Terms.Overage, s.Machines = true, 4, overage, machines
}
