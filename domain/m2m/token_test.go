package m2m_test

import (
	"testing"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/m2m"
)

func TestEventsConcernTheWorkspaceAlone(t *testing.T) {
	t.Parallel()
	for _, d := range m2m.Events() {
		if c := event.ConcernOf(d.Example); c.OrgID == "" || c.UserID != "" || c.Failed {
			t.Errorf("%s concerns %+v", d.Example.Kind(), c)
		}
	}
}
