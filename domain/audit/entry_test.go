package audit_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/external"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// nested is an object of so many levels.
func nested(levels int) map[string]any {
	object := map[string]any{"a": 1}
	for range levels - 1 {
		object = map[string]any{"a": []any{}, "b": object}
	}
	return object
}

func TestNew(t *testing.T) {
	t.Parallel()
	// The shell of the whole is [{"id":"1"},[],{"t":""},null].
	const shell = len(`[{"id":"1"},[],{"t":""},null]`)
	for name, c := range map[string]struct {
		change func(*audit.Recorded)
		want   error
	}{
		"a bare one":     {func(*audit.Recorded) {}, nil},
		"no actor":       {func(r *audit.Recorded) { r.Actor = nil }, audit.ErrActor},
		"an empty actor": {func(r *audit.Recorded) { r.Actor = map[string]any{} }, audit.ErrActor},
		"20 targets":     {func(r *audit.Recorded) { r.Targets = make([]map[string]any, 20) }, nil},
		"21 targets":     {func(r *audit.Recorded) { r.Targets = make([]map[string]any, 21) }, audit.ErrTargets},
		"8 levels":       {func(r *audit.Recorded) { r.Metadata = nested(8) }, nil},
		"9 levels":       {func(r *audit.Recorded) { r.Metadata = nested(9) }, audit.ErrDeep},
		"a deep target":  {func(r *audit.Recorded) { r.Targets = []map[string]any{nested(8)} }, audit.ErrDeep},
		"16 KiB":         {func(r *audit.Recorded) { r.Context = map[string]any{"t": strings.Repeat("<", external.MaxBytes-shell)} }, nil},
		"one byte more": {func(r *audit.Recorded) {
			r.Context = map[string]any{"t": strings.Repeat("<", external.MaxBytes-shell+1)}
		}, audit.ErrLarge},
		"what cannot be JSON":   {func(r *audit.Recorded) { r.Context = map[string]any{"t": math.Inf(1)} }, audit.ErrLarge},
		"the largest number":    {func(r *audit.Recorded) { r.Metadata = map[string]any{"n": 9007199254740991.0} }, nil},
		"a rounded number":      {func(r *audit.Recorded) { r.Actor = map[string]any{"id": 9007199254740992.0} }, audit.ErrNumber},
		"one within a target":   {func(r *audit.Recorded) { r.Targets = []map[string]any{{"ids": []any{1.0, -1e300}}} }, audit.ErrNumber},
		"30 days ago":           {func(r *audit.Recorded) { r.OccurredAt = noon().Add(-30 * 24 * time.Hour) }, nil},
		"longer ago":            {func(r *audit.Recorded) { r.OccurredAt = noon().Add(-30*24*time.Hour - 1) }, audit.ErrOccurredAt},
		"5 minutes ahead":       {func(r *audit.Recorded) { r.OccurredAt = noon().Add(5 * time.Minute) }, nil},
		"more than that, ahead": {func(r *audit.Recorded) { r.OccurredAt = noon().Add(5*time.Minute + 1) }, audit.ErrOccurredAt},
	} {
		r := audit.Recorded{OrgID: "org_1", Action: "a", Actor: map[string]any{"id": "1"}}
		c.change(&r)
		if _, err := audit.New(r, noon()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestAnEntryIsOfTheWorkspaceAlone(t *testing.T) {
	t.Parallel()
	r, err := audit.New(audit.Recorded{OrgID: "org_1", Actor: map[string]any{"user_id": "usr_1"}}, noon())
	if err != nil || event.ConcernOf(r) != (event.Concern{OrgID: "org_1"}) || !r.OccurredAt.Equal(noon()) {
		t.Errorf("%+v, %v, filed under %+v", r, err, event.ConcernOf(r))
	}
}
