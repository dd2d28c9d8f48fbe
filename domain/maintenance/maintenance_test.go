package maintenance_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maintenance"
)

// Every mode, without an end, before it, and from it on.
func TestInForce(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)
	end := now.Add(time.Hour)
	for mode, want := range map[maintenance.Mode]maintenance.Mode{
		"": maintenance.Off, maintenance.Off: maintenance.Off, maintenance.ReadOnly: maintenance.ReadOnly, maintenance.Closed: maintenance.Closed,
	} {
		for _, c := range []struct {
			until *time.Time
			at    time.Time
			want  maintenance.Mode
		}{
			{nil, now, want},
			{nil, end.AddDate(9, 0, 0), want},
			{&end, end.Add(-1), want},
			{&end, end, maintenance.Off},
			{&end, end.Add(1), maintenance.Off},
		} {
			if got := (maintenance.State{Mode: mode, Until: c.until}).InForce(c.at); got != c.want {
				t.Errorf("the mode %q until %v is %s at %v, want %s", mode, c.until, got, c.at, c.want)
			}
		}
	}
}

// Everybody is refused for a while, until the end if there is one.
func TestRefusal(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)
	end := now.Add(time.Hour)
	for _, mode := range []maintenance.Mode{maintenance.ReadOnly, maintenance.Closed} {
		for until, want := range map[*time.Time]time.Duration{nil: time.Minute, &end: time.Hour} {
			got := maintenance.State{Mode: mode, Message: "moving", Until: until}.Refusal(now)
			if got.Code != fault.RateLimited || !got.Service || got.RetryAfter != want {
				t.Errorf("the refusal of %s until %v: got %s, of the service %v, after %v, want %s, true, %v", mode, until, got.Code, got.Service, got.RetryAfter, fault.RateLimited, want)
			}
		}
	}
	if got := maintenance.Events(); len(got) != 1 || got[0].Example.Kind() != maintenance.KindSet {
		t.Errorf("Events() = %v, want %s alone", got, maintenance.KindSet)
	}
}
