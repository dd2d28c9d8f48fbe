package operations_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// A superadmin who names a workspace means its log alone: a stream of it has nothing of others
// to tell its collector.
func TestLogOfANamedWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, ada, bob := h.Superadmin(), h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
		of := func(more P) P {
			more["org_id"] = ada.OrgID
			return more
		}
		c := newSIEM(t)
		made := root.Do("AUDIT.STREAM_CREATE", of(P{"name": "siem", "kind": "http", "url": c.URL, "secret": "a secret of the collector"})).OK()
		webhookRole(ada, "Reader")
		webhookRole(bob, "Other")
		stream(t, h)
		if all := strings.Join(c.bodies, ""); !strings.Contains(all, `"Reader"`) || strings.Contains(all, bob.OrgID) {
			t.Errorf("the collector got %s", all)
		}
		if got := root.Do("AUDIT.STREAM_LIST", of(P{})).OK().List("items"); len(got) != 1 || got[0]["id"] != made.String("stream.id") || got[0]["org_id"] != ada.OrgID {
			t.Errorf("streams of the workspace: %v", got)
		}
		if got := root.Do("AUDIT.STREAM_LIST", nil).OK().List("items"); len(got) != 0 {
			t.Errorf("streams of the instance: %v", got)
		}
		if got := ada.Do("AUDIT.STREAM_LIST", nil).OK().List("items"); len(got) != 1 {
			t.Errorf("the workspace sees %v of its log's streams", got)
		}
		job := root.Do("AUDIT.EXPORT", of(P{"from": h.Clock.Now().Add(-time.Hour), "to": h.Clock.Now().Add(time.Hour)})).OK().String("job_id")
		h.RunJobs()
		found := map[string][]map[string]any{
			"AUDIT.EXPORT": root.Do("JOB.RESULT_GET", P{"job_id": job}).OK().List("items"),
			"AUDIT.SEARCH": root.Do("AUDIT.SEARCH", of(P{})).OK().List("items"),
		}
		for name, items := range found {
			for _, one := range items {
				if one["org_id"] != ada.OrgID {
					t.Errorf("%s finds %v", name, one)
				}
			}
			if len(items) == 0 {
				t.Errorf("%s finds nothing", name)
			}
		}
		changes := func(named P) int {
			named["resource_type"] = "role"
			return len(root.Do("AUDIT.CHANGE_LIST", named).OK().List("items"))
		}
		if of, all := changes(of(P{})), changes(P{}); of != 1 || all != 2 {
			t.Errorf("%d changes of the workspace, %d of all", of, all)
		}
	})
}
