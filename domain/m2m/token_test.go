package m2m_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/m2m"
)

func TestActive(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		change func(l *m2m.Listed)
		want   bool
	}{
		"a good one":            {func(*m2m.Listed) {}, true},
		"just before it ends":   {func(l *m2m.Listed) { l.ExpiresAt = now.Add(time.Microsecond) }, true},
		"as it ends":            {func(l *m2m.Listed) { l.ExpiresAt = now }, false},
		"revoked":               {func(l *m2m.Listed) { l.RevokedAt = now }, false},
		"one of a disabled app": {func(l *m2m.Listed) { l.Enabled = false }, false},
	} {
		l := m2m.Listed{Issued: m2m.Issued{ExpiresAt: now.Add(time.Hour)}, Enabled: true}
		test.change(&l)
		if got := l.Active(now); got != test.want {
			t.Errorf("%s: Active() = %v, want %v", name, got, test.want)
		}
	}
}

func TestEventsConcernTheWorkspaceAlone(t *testing.T) {
	t.Parallel()
	for _, d := range m2m.Events() {
		if c := event.ConcernOf(d.Example); c.OrgID == "" || c.UserID != "" || c.Failed {
			t.Errorf("%s concerns %+v", d.Example.Kind(), c)
		}
	}
}
