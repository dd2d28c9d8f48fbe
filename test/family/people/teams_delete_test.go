package people_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

// slugOf is what a workspace is addressed by.
func slugOf(by *harness.Actor) string {
	return by.Do("TEAM.GET", nil).OK().String("organization.slug")
}

// A deleted workspace is gone for everybody at once, on every replica, before anything of
// it is cleared up.
func TestTeamDeletion(t *testing.T) {
	onTwoReplicas(t, func(t *testing.T, one, other *harness.Service) {
		root, ada := one.Superadmin(), founded(one, "ada@example.com", "Engines")
		grace := teamMember(one, root, ada.OrgID, "grace@example.com", "admin")
		slug := slugOf(ada)
		key := other.With(ada.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"apps:read"}}).OK().String("key"))
		app := ada.Do("APP.REGISTER", P{"name": "App", "slug": "engine-app"}).OK()
		client := P{"client_id": "engine-app", "client_secret": app.String("api_key")}
		token := other.Anonymous().Do("M2M.TOKEN", client).OK().String("access_token")
		ada.Do("TEAM.INVITE", P{"email": "eve@example.com", "role": "member"}).OK()
		invitation := P{"token": one.LastMail("eve@example.com").Token()}
		ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "password", "values": P{"min_length": 20}}).OK()

		refused := func(by *harness.Actor, org, typed string, code fault.Code) {
			t.Helper()
			by.Do("TEAM.DELETE", P{"org_id": org, "confirm_slug": typed}).Fails(code)
		}
		refused(ada, ada.OrgID, "another", fault.Validation)
		refused(grace, ada.OrgID, slug, fault.Denied)
		personal := grace.Do("TEAM.LIST", nil).List("items")
		if personal = slices.DeleteFunc(personal, func(item P) bool { return item["personal"] != true }); len(personal) != 1 {
			t.Fatalf("personal are %v", personal)
		}
		home := teamEntered(one, "grace@example.com", fmt.Sprint(personal[0]["id"]))
		refused(home, home.OrgID, fmt.Sprint(personal[0]["slug"]), fault.Validation)
		one.SignUp("mallory@example.com").Do("TEAM.DELETE", P{"org_id": ada.OrgID, "confirm_slug": slug}).Fails(fault.NotFound)
		ada.DryRun().Do("TEAM.DELETE", P{"org_id": ada.OrgID, "confirm_slug": slug}).OK()
		key.Do("APP.LIST", nil).OK()

		deletion := P{"org_id": ada.OrgID, "confirm_slug": slug}
		first := ada.Idempotent("once").Do("TEAM.DELETE", deletion).OK()
		if again := ada.Idempotent("once").Do("TEAM.DELETE", deletion).OK(); !again.Replayed || first.Replayed {
			t.Error("the deletion is not answered again")
		}
		gone := func() {
			t.Helper()
			key.Do("APP.LIST", nil).Fails(fault.Auth)
			other.With(token).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
			other.Anonymous().Do("M2M.TOKEN", client).Fails(fault.Auth)
			if active := other.Anonymous().Do("M2M.INTROSPECT", P{"token": token}).OK().Data["active"]; active != false {
				t.Errorf("the token is active: %v", active)
			}
			other.Anonymous().Do("TEAM.INVITATION_GET", invitation).Fails(fault.Auth)
			root.Do("APP.GET", P{"app_id": app.String("app.id")}).Fails(fault.NotFound)
			for _, by := range []*harness.Actor{root, home} {
				by.Do("TEAM.GET", P{"org_id": ada.OrgID}).Fails(fault.NotFound)
				by.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).Fails(fault.NotFound)
				by.Do("TEAM.LEAVE", P{"org_id": ada.OrgID}).Fails(fault.NotFound)
				refused(by, ada.OrgID, slug, fault.NotFound)
			}
			for _, command := range []string{"TEAM.DISABLE", "TEAM.ENABLE"} {
				root.Do(command, P{"org_id": ada.OrgID}).Fails(fault.NotFound)
			}
			root.Do("TEAM.MEMBER_ADD", P{"org_id": ada.OrgID, "user_id": home.UserID, "role": "member"}).Fails(fault.NotFound)
			for _, listed := range []*harness.Reply{root.Do("TEAM.LIST", P{"all": true, "query": slug}), home.Do("TEAM.LIST", P{"query": slug})} {
				if items := listed.OK().List("items"); len(items) != 0 {
					t.Errorf("listed is %v", items)
				}
			}
			home.Do("TEAM.CREATE", P{"name": "Mine", "slug": slug}).Fails(fault.Validation)
		}
		gone()
		// Who was active there goes on at home, without a login, also by a session of those that
		// are moved later.
		for _, who := range []*harness.Actor{grace, ada} {
			if who == ada {
				database := one.Store.Database()
				statement := database.Dialect.Placeholders(`UPDATE sessions SET org_id = ? WHERE id = ?`)
				if _, err := database.Write.ExecContext(t.Context(), statement, ada.OrgID, ada.SessionID); err != nil {
					t.Fatal(err)
				}
			}
			who.Do("USER.ME", nil).Fails(fault.TokenExpired)
			pair := other.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": who.RefreshToken}).OK()
			if at := other.With(pair.String("access_token")).Do("TEAM.GET", nil).OK(); at.Data["organization"].(P)["personal"] != true {
				t.Errorf("the session goes on in %v", at.Data)
			}
		}
		// Nobody stops the clearing up.
		waiting := root.Do("JOB.LIST", P{"kind": "team.delete"}).List("items")
		if len(waiting) != 1 || waiting[0]["status"] != "queued" || waiting[0]["total"] != 2.0 {
			t.Fatalf("the jobs are %v", waiting)
		}
		root.Do("JOB.CANCEL", P{"job_id": waiting[0]["id"]}).Fails(fault.Validation)
		ada.Do("USER.ME", nil).Fails(fault.TokenExpired)
		other.RunJobs()
		done := root.Do("JOB.GET", P{"job_id": waiting[0]["id"]}).OK()
		if done.String("job.status") != "succeeded" || done.Int("job.done") != 3 {
			t.Errorf("the job is %v", done.Data)
		}
		gone()
		leaves(t, one, ada.OrgID)
		if recorded := one.Events("team.deleted"); len(recorded) != 1 {
			t.Errorf("%d deletions are told", len(recorded))
		}
		// The slug is free after a while, that of the app is not.
		one.Clock.Advance(workspace.SlugReserved)
		other.Clock.Advance(workspace.SlugReserved)
		again := one.Login("ada@example.com", harness.Password)
		again.Do("TEAM.CREATE", P{"name": "Engines", "slug": slug}).OK()
		again.Do("APP.REGISTER", P{"name": "App", "slug": "engine-app"}).Fails(fault.Validation)
	})
}

// leaves fails the test where a deleted workspace left more than what is kept of one.
func leaves(t *testing.T, h *harness.Service, org string) {
	t.Helper()
	kept := []string{"events", "event_queue", "event_feed", "event_changes", "audiences", "reserved_slugs", "idempotency"}
	database := h.Store.Database()
	list := `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'org_id' WHERE m.type = 'table'`
	if database.Read.DriverName() == "postgres" {
		list = `SELECT table_name FROM information_schema.columns WHERE column_name = 'org_id' AND table_schema = current_schema()`
	}
	var tables []string
	if err := database.Read.SelectContext(t.Context(), &tables, list); err != nil {
		t.Fatal(err)
	}
	if len(tables) < 20 {
		t.Fatalf("only %q name a workspace", tables)
	}
	for _, table := range append(tables, "workspaces") {
		column := "org_id"
		if table == "workspaces" {
			column = "id"
		}
		var n int
		statement := database.Dialect.Placeholders(`SELECT COUNT(*) FROM ` + table + ` WHERE ` + column + ` = ?`)
		if err := database.Read.GetContext(t.Context(), &n, statement, org); err != nil {
			t.Fatal(err)
		}
		if n > 0 && !slices.Contains(kept, table) {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
}

// While a workspace is deleted its people work on: what they do comes before, or is
// refused; whatever it was, nothing of it is left, and nobody is logged out.
func TestDeletionWhileMembersWork(t *testing.T) {
	onTwoReplicas(t, func(t *testing.T, one, other *harness.Service) {
		root, ada := one.Superadmin(), founded(one, "ada@example.com", "Engines")
		slug := slugOf(ada)
		const workers, calls = 6, 5
		var people []*harness.Actor
		for i := range workers {
			h := []*harness.Service{one, other}[i%2]
			people = append(people, teamMember(h, root, ada.OrgID, fmt.Sprintf("p%d@example.com", i), "owner"))
		}
		replies, begun := make([][]*harness.Reply, workers), make(chan int, workers)
		deleted := harness.Together(workers+1, func(i int) *harness.Reply {
			if i == workers {
				for range workers {
					<-begun
				}
				return ada.Do("TEAM.DELETE", P{"org_id": ada.OrgID, "confirm_slug": slug})
			}
			for n := range calls {
				name := fmt.Sprintf("thing-%d-%d", i, n)
				replies[i] = append(replies[i],
					people[i].Do("APP.REGISTER", P{"name": name, "slug": name}),
					people[i].Do("GROUP.CREATE", P{"name": name}),
					people[i].Do("API_KEY.CREATE", P{"name": name, "scopes": []string{}}),
				)
				if n == 0 {
					begun <- i
				}
			}
			return nil
		})[workers]
		deleted.OK()
		made := 0
		for _, reply := range slices.Concat(replies...) {
			switch {
			case reply.Failure == nil:
				made++
			case !slices.Contains([]fault.Code{fault.TokenExpired, fault.NotFound, fault.Denied, fault.Validation}, reply.Failure.Code):
				t.Errorf("answered by %v", reply.Failure)
			}
		}
		t.Logf("%d of %d calls came before", made, workers*calls*3)
		for i, who := range people {
			who.Do("GROUP.CREATE", P{"name": "late"}).Fails(fault.TokenExpired)
			pair := one.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": who.RefreshToken}).OK()
			if at := one.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK().String("org_id"); at == ada.OrgID || !strings.HasPrefix(at, "org_") {
				t.Errorf("person %d goes on in %q", i, at)
			}
		}
		harness.Together(2, func(i int) *harness.Reply {
			[]*harness.Service{one, other}[i].RunJobs()
			return nil
		})
		leaves(t, one, ada.OrgID)
	})
}

// Of two who delete a workspace at once, one does.
func TestDeletionTwiceAtOnce(t *testing.T) {
	onTwoReplicas(t, func(t *testing.T, one, other *harness.Service) {
		root, ada := one.Superadmin(), founded(one, "ada@example.com", "Engines")
		grace := teamMember(other, root, ada.OrgID, "grace@example.com", "owner")
		deletion := P{"org_id": ada.OrgID, "confirm_slug": slugOf(ada)}
		replies := harness.Together(2, func(i int) *harness.Reply {
			return []*harness.Actor{ada, grace}[i].Do("TEAM.DELETE", deletion)
		})
		codes := harness.Codes(replies)
		if codes[""] != 1 || codes[fault.NotFound]+codes[fault.TokenExpired] != 1 {
			t.Errorf("answered by %v", codes)
		}
		if jobs := root.Do("JOB.LIST", P{"kind": "team.delete"}).List("items"); len(jobs) != 1 {
			t.Errorf("%d jobs", len(jobs))
		}
	})
}

// An owner may delete a workspace that is suspended; a key of it may not.
func TestDeletionOfASuspendedWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	slug := slugOf(ada)
	key := h.With(ada.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"teams:delete"}}).OK().String("key"))
	h.Superadmin().Do("TEAM.DISABLE", P{"org_id": ada.OrgID}).OK()
	suspended(t, "a key", key.Do("TEAM.DELETE", P{"org_id": ada.OrgID, "confirm_slug": slug}))
	ada.Do("TEAM.DELETE", P{"org_id": ada.OrgID, "confirm_slug": slug}).OK()
	h.RunJobs()
	leaves(t, h, ada.OrgID)
}
