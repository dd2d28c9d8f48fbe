package operations_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func types(items []harness.P) []string {
	var all []string
	for _, item := range items {
		all = append(all, item["type"].(string))
	}
	return all
}

func TestFeed(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, bob, root := h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
		ada.Do("ROLE.CREATE", harness.P{"name": "Reader", "permissions": []string{"flows:read"}}).OK()
		ada.Do("ROLE.CREATE", harness.P{"name": "Writer", "permissions": []string{"flows:write"}}).OK()

		all := ada.Do("EVENT.LIST", nil).OK().List("items")
		for _, item := range all {
			if item["org_id"] != ada.OrgID {
				t.Errorf("an event of another workspace: %v", item)
			}
		}
		roles := ada.Do("EVENT.LIST", harness.P{"types": []string{"role.*"}}).OK().List("items")
		if got := types(roles); !slices.Equal(got, []string{"role.created", "role.created"}) {
			t.Errorf("roles %v", got)
		}
		if roles[0]["data"].(harness.P)["name"] != "Reader" {
			t.Errorf("the oldest is not first: %v", roles)
		}
		rest := ada.Do("EVENT.LIST", harness.P{"after": roles[0]["id"], "types": []string{"role.created"}}).OK()
		if got := rest.List("items"); len(got) != 1 || got[0]["id"] != roles[1]["id"] || rest.Data["next_cursor"] != nil {
			t.Errorf("after the first: %v", rest.Data)
		}

		// Page by page nothing is missed and nothing comes twice.
		var paged []string
		for params := (harness.P{"limit": 2}); ; {
			page := root.Do("EVENT.LIST", params).OK()
			paged = append(paged, types(page.List("items"))...)
			if page.Data["next_cursor"] == nil {
				break
			}
			params = harness.P{"limit": 2, "cursor": page.Data["next_cursor"]}
		}
		var logged []string
		for _, record := range slices.Backward(h.Events("")) {
			logged = append(logged, string(record.Kind))
		}
		if !slices.Equal(paged, logged) {
			t.Errorf("the feed has\n%v, the log\n%v", paged, logged)
		}
		of := root.Do("EVENT.LIST", harness.P{"org_id": bob.OrgID}).OK().List("items")
		if len(of) == 0 || of[0]["org_id"] != bob.OrgID {
			t.Errorf("a superadmin finds %v of a workspace", of)
		}

		bob.Do("EVENT.LIST", harness.P{"after": roles[0]["id"]}).Fails(fault.NotFound)
		bob.Do("EVENT.LIST", harness.P{"types": []string{"role.create"}}).Fails(fault.Validation).Field("/types/0")
		bob.Do("EVENT.LIST", harness.P{"cursor": "x"}).Fails(fault.Validation)
		h.Clock.Advance(time.Hour)
		ada = h.Login("ada@example.com", harness.Password)
		ada.Do("ROLE.CREATE", harness.P{"name": "Later", "permissions": []string{"flows:write"}}).OK()
		late := ada.Do("EVENT.LIST", harness.P{"from": h.Clock.Now().Format(time.RFC3339Nano), "types": []string{"role.*"}}).OK().List("items")
		if len(late) != 1 || late[0]["data"].(harness.P)["name"] != "Later" {
			t.Errorf("from the last hour on: %v", late)
		}
		if none := ada.Do("EVENT.LIST", harness.P{"from": h.Clock.Now().Add(time.Hour).Format(time.RFC3339)}).OK().List("items"); len(none) != 0 {
			t.Errorf("of the future: %v", none)
		}
	})
}

func TestFeedWaits(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		roles := harness.P{"types": []string{"role.*"}, "wait_seconds": 1}
		if none := ada.Do("EVENT.LIST", roles).OK().List("items"); len(none) != 0 {
			t.Errorf("found %v", none)
		}
		roles["wait_seconds"] = 20
		found := make(chan *harness.Reply)
		go func() { found <- ada.Do("EVENT.LIST", roles) }()
		ada.Do("ROLE.CREATE", harness.P{"name": "Reader", "permissions": []string{"flows:read"}}).OK()
		if got := (<-found).OK().List("items"); len(got) != 1 {
			t.Errorf("found %v", got)
		}
	})
}

// A call that waits for events ends with the service: else it would hold up its stop.
func TestFeedWaitsNoLongerThanTheService(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		found := make(chan *harness.Reply)
		go func() { found <- ada.Do("EVENT.LIST", harness.P{"types": []string{"role.*"}, "wait_seconds": 25}) }()
		time.Sleep(100 * time.Millisecond)
		began := time.Now()
		h.Drain()
		if got := (<-found).OK(); len(got.List("items")) != 0 || got.Data["next_cursor"] != nil {
			t.Errorf("found %v", got.Data)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it waits %s for the stop", took)
		}
		began = time.Now()
		ada.Do("EVENT.LIST", harness.P{"types": []string{"role.*"}, "wait_seconds": 25}).OK()
		if took := time.Since(began); took < 200*time.Millisecond || took > 10*time.Second {
			t.Errorf("who polls on is answered after %s", took)
		}
	})
}

// An event whose transaction stays open is behind what was committed meanwhile, and who read
// that does not miss it.
func TestFeedSkipsNoLateCommit(t *testing.T) {
	t.Parallel()
	h := harness.On(t, harness.Postgres(t))
	root := h.Superadmin()
	end := root.Do("EVENT.LIST", harness.P{"limit": 200}).OK().List("items")
	last := end[len(end)-1]["id"]

	tx, err := h.Store.Database().Write.Beginx()
	if err != nil {
		t.Fatal(err)
	}
	early := event.NewID(system.NewIDs(h.Clock))
	_, err = tx.Exec(`INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, command, data)
		VALUES ($1, 'role.created', $2, 'success', '', '', 'system', '', '', '', '', '', '', '', '{}')`, early.String(), h.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	root.Do("SETTINGS.SET", harness.P{"values": harness.P{"max_apps": 5}}).OK()
	before := root.Do("EVENT.LIST", harness.P{"after": last}).OK().List("items")
	if got := types(before); !slices.Equal(got, []string{"settings.updated"}) {
		t.Fatalf("while the transaction is open: %v", got)
	}
	time.Sleep(time.Second)
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	after := root.Do("EVENT.LIST", harness.P{"after": before[0]["id"]}).OK().List("items")
	if len(after) != 1 || after[0]["id"] != early.String() || early.String() > before[0]["id"].(string) {
		t.Errorf("after the commit: %v, want %s", after, early)
	}
}
