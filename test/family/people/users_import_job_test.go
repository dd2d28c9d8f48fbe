package people_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

// many is an export that is too large for one call.
func many(prefix string) []P {
	all := make([]P, 1001)
	for i := range all {
		all[i] = P{"email": fmt.Sprintf("%s%d@example.com", prefix, i)}
	}
	return all
}

func TestImportAsJob(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		all := many("u")
		all[3] = P{"mail": "u3@example.com", "password_hash": bcryptHash}
		all[4] = P{"mail": "nobody"}
		all[5] = P{"email": "U2@example.com"}
		params := P{"users": all, "mapping": P{"mail": "email"}}
		if dry := root.DryRun().Do("USER.BULK_IMPORT", params).OK(); !dry.Has("job_id") || len(h.Events("job.created")) != 0 {
			t.Errorf("a dry run answered %v", dry.Data)
		}
		started := root.Idempotent("import-many").Do("USER.BULK_IMPORT", params).OK()
		if again := root.Idempotent("import-many").Do("USER.BULK_IMPORT", params); again.OK().String("job_id") != started.String("job_id") {
			t.Error("the same call began another job")
		}
		if len(started.Data) != 1 {
			t.Errorf("answered %v", started.Data)
		}
		var kept []string
		if err := h.Store.Database().Read.SelectContext(t.Context(), &kept, `SELECT content FROM job_rows`); err != nil {
			t.Fatal(err)
		}
		for _, row := range kept {
			if strings.Contains(row, "example.com") || strings.Contains(row, bcryptHash) {
				t.Fatalf("a row waits in clear: %s", row)
			}
		}
		id, ended := done(h, root, started)
		if ended.String("job.status") != "succeeded" || ended.Int("job.done") != 1001 || ended.Int("job.total") != 1001 || ended.Int("job.errors") != 1 {
			t.Fatalf("the job ended as %v", ended.Data)
		}
		wrong := rowsOf(root, id, "errors")
		if len(wrong) != 1 || wrong[0]["item"] != "4" || wrong[0]["code"] != string(fault.Validation) || !strings.Contains(fmt.Sprint(wrong[0]["fields"]), "/mail") {
			t.Errorf("errors are %v", wrong)
		}
		items := rowsOf(root, id, "data")
		if items[2]["status"] != "imported" || items[4]["status"] != "failed" || items[5]["status"] != "skipped" || items[5]["index"] != float64(5) {
			t.Errorf("rows are told as %v", items[2:6])
		}
		h.Login("u3@example.com", upstreamPW)
		if made := h.Events(user.KindCreated)[0]; made.Origin.Command != "USER.BULK_IMPORT" {
			t.Errorf("an account was made by %+v", made.Origin)
		}

		// What was canceled makes no account, and neither does what its maker may not do any more.
		before := len(h.Events(user.KindCreated))
		canceled := root.Do("USER.BULK_IMPORT", P{"users": many("c")}).OK().String("job_id")
		root.Do("JOB.CANCEL", P{"job_id": canceled}).OK()
		robot := root.Machine("importer", "users:manage")
		begun := robot.Do("USER.BULK_IMPORT", P{"users": many("m")}).OK()
		root.Do("APP.UPDATE", P{"app_id": root.Do("APP.LIST", nil).OK().List("items")[0]["id"], "enabled": false}).OK()
		if _, ended := done(h, root, begun); ended.String("job.status") != "failed" {
			t.Errorf("the job of a disabled app ended as %v", ended.Data)
		}
		if got := len(h.Events(user.KindCreated)); got != before {
			t.Errorf("%d accounts were made", got-before)
		}
		root.Do("USER.BULK_IMPORT", P{"users": make([]P, 10_001)}).Fails(fault.Validation)
	})
}
