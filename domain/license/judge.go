package license

import (
	"slices"
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/product"
)

// Code is the result of a validation.
type Code string

// The codes, in the order in which they decide; the first and the last two are the ones
// that no later one can follow.
const (
	Unknown         Code = "unknown"
	IsRevoked       Code = "revoked"
	IsSuspended     Code = "suspended"
	ProductMismatch Code = "product_mismatch"
	NotStarted      Code = "not_started"
	IsExpired       Code = "expired"
	MachineMismatch Code = "machine_mismatch"
	TooManyMachines Code = "too_many_machines"
	HeartbeatLapsed Code = "heartbeat_lapsed"
	NoSeats         Code = "no_seats"
	MeterExceeded   Code = "meter_exceeded"
	FeatureMissing  Code = "feature_missing"
	InGrace         Code = "grace"
	Valid           Code = "valid"
)

// Holds reports whether the license is valid.
func (c Code) Holds() bool { return c == Valid || c == InGrace }

// ValidationRequest are the inputs of a validation except the key.
type ValidationRequest struct {
	// Machine reports whether a machine was named.
	Machine bool
	// Product is the product of the calling program, by its identifier or slug; "" for
	// any.
	Product  product.Ref
	Features []feature.Key
}

// State is a license with everything that belongs to it, at one point in time.
type State struct {
	License Snapshot
	// Product is the slug of its product, and Sold the features of that.
	Product product.Slug
	Sold    feature.Values
	// Moved reports whether it was transferred away from machines whose offline files
	// are still valid.
	Moved bool
	// Machine is the one of the question, "" for none that was activated; Alive reports
	// whether it has not lapsed.
	Machine MachineID
	Alive   bool
	// OfflineUntil is until when the machine keeps its place, and a floating seat, for the
	// last offline file that was checked out for it; zero for none.
	OfflineUntil time.Time
	// Machines is how many are active and alive; it is counted for a machine that is none of
	// them.
	Machines int
	// Leased reports whether the machine has a floating seat; Leases is how many are taken.
	Leased bool
	Leases int
	// Spent reports whether a meter refuses further uses.
	Spent bool
}

// Refusal returns the code of a license that is not usable; "" if it is. The caller
// must handle the grace period.
func (s Snapshot) Refusal(now time.Time) Code {
	switch {
	case s.Status == Revoked:
		return IsRevoked
	case s.Status == Suspended:
		return IsSuspended
	case s.over(now):
		return IsExpired
	}
	return ""
}

// NotStarted reports whether the days of the license wait for its first activation.
func (s Snapshot) NotStarted() bool { return s.Terms.Starts == AtActivation && s.ActivatedAt.IsZero() }

// Judge returns the result of a validation.
func Judge(s State, ask ValidationRequest, now time.Time) Code {
	terms, gives := s.License.Terms, s.License.Giving(s.Sold).Terms.Features
	for _, rule := range []struct {
		code Code
		is   bool
	}{
		{IsRevoked, s.License.Status == Revoked},
		{IsSuspended, s.License.Status == Suspended},
		{ProductMismatch, ask.Product != "" && !s.of(ask.Product)},
		{NotStarted, s.License.NotStarted()},
		{IsExpired, s.License.over(now)},
		{MachineMismatch, terms.MachineBound && s.Machine == "" && (!ask.Machine || Room(s.Machines, terms.MostMachines()))},
		{TooManyMachines, terms.MachineBound && s.Machine == ""},
		{HeartbeatLapsed, s.Machine != "" && !s.Alive},
		{NoSeats, terms.Floating && !s.Leased && !Room(s.Leases, terms.MostSeats())},
		{MeterExceeded, s.Spent},
		{FeatureMissing, slices.ContainsFunc(ask.Features, func(key feature.Key) bool { return !on(gives[string(key)]) })},
		{InGrace, terms.OnExpiry == Grace && !s.License.ExpiresAt.IsZero() && !now.Before(s.License.ExpiresAt)},
	} {
		if rule.is {
			return rule.code
		}
	}
	return Valid
}

// of reports whether a reference is that of the license's product.
func (s State) of(ref product.Ref) bool {
	if ref.IsID() {
		return product.ID(ref) == s.License.ProductID
	}
	return product.Slug(ref) == s.Product
}

// on reports whether a license has a feature: it is there, and not switched off.
func on(value any) bool { return value != nil && value != false }
