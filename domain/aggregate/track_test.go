package aggregate_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/secret"
)

type part struct {
	Name   string `audit:"name"`
	Hidden string `audit:"-"`
	Left   string
}

type whole struct {
	part
	ID    string        `audit:"id"`
	Parts []part        `audit:"parts"`
	Life  time.Duration `audit:"life_seconds"`
	Until time.Time     `audit:"until"`
	Key   secret.String `audit:"key"`
}

type thing struct {
	aggregate.Root
	s whole
}

// What an aggregate was is kept as it was then, and shown without what is hidden.
func TestDifference(t *testing.T) {
	t.Parallel()
	made := &thing{s: whole{ID: "a", Parts: []part{{"x", "h", "l"}}, Life: time.Minute}}
	made.Track(&made.s)
	if change, err := made.Difference(); change != nil || err != nil {
		t.Errorf("without an event: %v, %v", change, err)
	}
	made.Raise(happened("thing.created"))
	change, err := made.Difference()
	const first = `{"id":"a","key":"[redacted]","life_seconds":60,"name":"","parts":[{"name":"x"}],"until":null}`
	if err != nil || change.Before != nil || string(change.After) != first || change.Object != "a" {
		t.Fatalf("made: %s to %s, %v", change.Before, change.After, err)
	}
	made.Stored()
	again := &thing{Root: aggregate.At(1), s: made.s}
	again.Track(&again.s)
	again.s.Parts[0].Name = "y" // in place
	again.Raise(happened("thing.updated"))
	if change, err = again.Difference(); err != nil || string(change.Before) != first || string(change.After) == first {
		t.Errorf("changed: %s to %s, %v", change.Before, change.After, err)
	}
	again.Stored()
	again.Raise(happened("thing.removed"))
	if change, err = again.Difference(); err != nil || change.After != nil || string(change.Before) == first {
		t.Errorf("removed: %s to %s, %v", change.Before, change.After, err)
	}
}
