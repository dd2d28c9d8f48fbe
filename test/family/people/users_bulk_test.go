package people_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// done carries out a job, and returns it.
func done(h *harness.Service, by *harness.Actor, started *harness.Reply) (id string, ended *harness.Reply) {
	id = started.OK().String("job_id")
	h.RunJobs()
	return id, by.Do("JOB.GET", P{"job_id": id}).OK()
}

func rowsOf(by *harness.Actor, id, part string) []P {
	return by.Do("JOB.RESULT_GET", P{"job_id": id, "part": part}).OK().List("items")
}

// Each account of a bulk deletion is deleted by the rules of USER.DELETE.
func TestBulkDeleteKeepsTheRules(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		owner, plain := h.SignUp("owner@example.com"), h.SignUp("plain@example.com")
		team := owner.Do("TEAM.CREATE", P{"name": "Team"}).OK().String("organization.id")
		userMember(h, root, team, "mate@example.com", "member")
		const absent = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
		machine := root.Machine("worker", "users:manage")
		id, ended := done(h, machine, machine.Do("USER.BULK_DELETE", P{
			"user_ids": []string{plain.UserID, root.UserID, owner.UserID, absent}, "reason": "left the company",
		}))
		if ended.String("job.status") != "succeeded" || ended.Int("job.done") != 4 || ended.Int("job.errors") != 3 {
			t.Fatalf("the job ended as %v", ended.Data)
		}
		var refused []string
		for _, row := range rowsOf(machine, id, "errors") {
			refused = append(refused, fmt.Sprint(row["item"], " ", row["code"]))
		}
		want := []string{root.UserID + " PERMISSION_DENIED", owner.UserID + " " + fmt.Sprint(owner.Do("USER.DELETE", P{"password": harness.Password}).Failure.Code), absent + " NOT_FOUND"}
		if !slices.Equal(refused, want) {
			t.Errorf("refused are %v, want %v", refused, want)
		}
		plain.Do("USER.ME", nil).Fails(fault.Auth)
		created := h.Events("job.created")[0]
		if !strings.Contains(string(created.Data), "left the company") || h.Events("user.deleted")[0].Origin.Command != "USER.BULK_DELETE" {
			t.Errorf("the log says %s", created.Data)
		}
		id, _ = done(h, root, root.Do("USER.BULK_DELETE", P{"user_ids": []string{root.UserID}}))
		if row := rowsOf(root, id, "errors")[0]; row["code"] != "VALIDATION_ERROR" {
			t.Errorf("one's own account: %v", row)
		}
		root.Do("USER.BULK_DELETE", P{"user_ids": []string{absent}}).Fails(fault.NotFound)
		root.Do("USER.BULK_DELETE", P{"user_ids": []string{owner.UserID, owner.UserID}}).Fails(fault.Validation)
		if root.DryRun().Do("USER.BULK_DELETE", P{"user_ids": []string{owner.UserID}}).OK(); len(h.Events("job.created")) != 2 {
			t.Error("a dry run left a job")
		}
	})
}

// An export is narrowed like USER.LIST, and holds hashes for superadmins alone.
func TestBulkExport(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		ada := h.SignUp("ada@example.com")
		eve := h.SignUp("eve@example.com")
		eve.Do("USER.UPDATE", P{"display_name": "=cmd|' /C calc'!A0"}).OK()
		root.Do("USER.DISABLE", P{"user_id": eve.UserID}).OK()
		for name, c := range map[string]struct {
			filter P
			want   []string
		}{
			"all":      {nil, []string{eve.UserID, ada.UserID, root.UserID}},
			"query":    {P{"query": "ada@example.com"}, []string{ada.UserID}},
			"status":   {P{"status": "disabled"}, []string{eve.UserID}},
			"org":      {P{"org_id": ada.OrgID}, []string{ada.UserID}},
			"org, all": {P{"org_id": ada.OrgID, "status": "active", "query": "a"}, []string{ada.UserID}},
			"none":     {P{"created_after": "2999-01-01T00:00:00Z"}, nil},
		} {
			params := P{"include_hashes": true}
			if c.filter != nil {
				params["filter"] = c.filter
			}
			id, ended := done(h, root, root.Do("USER.BULK_EXPORT", params))
			if ended.Int("job.total") != len(c.want) || ended.Int("job.done") != len(c.want) {
				t.Errorf("%s: ended as %v", name, ended.Data)
			}
			var got []string
			for _, row := range rowsOf(root, id, "data") {
				got = append(got, fmt.Sprint(row["id"]))
				if hash := fmt.Sprint(row["password_hash"]); !strings.HasPrefix(hash, "$argon2id$") {
					t.Errorf("%s: the hash of %v is %s", name, row["id"], hash)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		const absent = "org_01jd7x9k2mf3q8v5t0abcdefgh"
		root.Do("USER.BULK_EXPORT", P{"filter": P{"org_id": absent}}).Fails(fault.NotFound)
		machine := root.Machine("worker", "users:manage")
		machine.Do("USER.BULK_EXPORT", P{"include_hashes": true}).Fails(fault.Denied)
		id, _ := done(h, machine, machine.Do("USER.BULK_EXPORT", P{"format": "csv"}))
		table := machine.Do("JOB.RESULT_GET", P{"job_id": id}).OK()
		lines, _ := table.Data["items"].([]any)
		if len(lines) != 4 || !strings.HasPrefix(fmt.Sprint(lines[0]), "id,email,") || strings.Contains(fmt.Sprint(lines...), "argon2") {
			t.Errorf("the lines are %q", lines)
		}
		if line := fmt.Sprint(lines[1]); !strings.Contains(line, ",'=cmd|") || !strings.HasPrefix(table.String("content_type"), "text/csv") {
			t.Errorf("a formula stands in %s as %s", table.String("content_type"), line)
		}
	})
}
