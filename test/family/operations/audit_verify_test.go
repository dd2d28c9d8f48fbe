package operations_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

// chained makes events in three blocks, and returns those of the second in their order.
func chained(t *testing.T, h *harness.Service) (root *harness.Actor, middle []event.Record) {
	t.Helper()
	root = h.Superadmin()
	var before int
	for n := range 3 {
		root.Do("ROLE.CREATE", P{"name": fmt.Sprint("role ", n), "permissions": []string{"apps:read"}}).OK()
		h.Anonymous().Do("AUTH.LOGIN", P{"email": "nobody@example.com", "password": "wrong password"}).Fails(fault.Auth)
		h.Clock.Advance(2 * time.Minute)
		h.SendWebhooks()
		if err := h.Relay.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := h.Events("")
		if n == 1 {
			middle = all[:len(all)-before]
		}
		before = len(all)
	}
	return root, middle
}

// run changes the store beside the service.
func run(t *testing.T, h *harness.Service, statement string) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) *sqlstore.Tx { return tx })
	err := unit.Do(t.Context(), func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(t.Context(), statement)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever is done to the log in the store is found, and at its place.
func TestVerifyFindsWhatWasDone(t *testing.T) {
	t.Parallel()
	const insertion = `INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, request_index, command, data)
		SELECT %s, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, request_index, command, data FROM events WHERE id = '%s'`
	for name, c := range map[string]struct {
		do   func(t *testing.T, h *harness.Service, one event.Record)
		what string
		none bool
	}{
		"an event altered": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "UPDATE events SET actor_id = 'usr_other' WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"its time altered": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "UPDATE events SET outcome = 'failure' WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"the address that it is found by": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "UPDATE events SET ip_index = 'another' WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"a block of an older format": {func(t *testing.T, h *harness.Service, _ event.Record) {
			run(t, h, "UPDATE audit_blocks SET format = 1 WHERE number = 2")
		}, "altered", true},
		"its content unreadable": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "UPDATE events SET data = 'enc:' WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"its content no JSON": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "UPDATE events SET data = 'no JSON' WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"what it did unreadable": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "UPDATE event_changes SET after = 'enc:' WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"its content altered": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "UPDATE events SET data = '' WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"its change removed": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "DELETE FROM event_changes WHERE id = '"+e.ID.String()+"'")
		}, "altered", false},
		"an event removed": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "DELETE FROM events WHERE id = '"+e.ID.String()+"'")
		}, "missing", false},
		"removed with its place": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, "DELETE FROM events WHERE id = '"+e.ID.String()+"'")
			run(t, h, "DELETE FROM event_feed WHERE event_id = '"+e.ID.String()+"'")
		}, "missing", false},
		"an event inserted": {func(t *testing.T, h *harness.Service, e event.Record) {
			run(t, h, fmt.Sprintf(insertion, "'"+twin(e)+"'", e.ID))
			run(t, h, "DELETE FROM event_queue")
		}, "inserted", true},
		"all blocks removed": {func(t *testing.T, h *harness.Service, _ event.Record) {
			run(t, h, "DELETE FROM audit_blocks")
		}, "missing", true},
		"a block removed": {func(t *testing.T, h *harness.Service, _ event.Record) {
			run(t, h, "DELETE FROM audit_blocks WHERE number = 2")
		}, "missing", true},
		"a block altered": {func(t *testing.T, h *harness.Service, _ event.Record) {
			run(t, h, "UPDATE audit_blocks SET entries = entries + 1 WHERE number = 2")
		}, "altered", true},
		"a block forged": {func(t *testing.T, h *harness.Service, _ event.Record) {
			run(t, h, "UPDATE audit_blocks SET hash = root WHERE number = 2")
		}, "altered", true},
		"a head altered": {func(t *testing.T, h *harness.Service, _ event.Record) {
			run(t, h, "UPDATE audit_heads SET signed_at = (SELECT latest_at FROM audit_blocks WHERE number = 3)")
		}, "altered", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
				root, middle := chained(t, h)
				whole := root.Do("AUDIT.VERIFY", nil).OK()
				if !whole.Bool("intact") || whole.Int("checked") < len(middle)+4 || whole.Has("first_break") {
					t.Fatalf("untouched: %v", whole.Data)
				}
				one := middle[len(middle)-1] // the first of the block; role.created, with a change
				c.do(t, h, one)
				found := root.Do("AUDIT.VERIFY", nil).OK()
				if found.Bool("intact") || found.String("first_break.what") != c.what {
					t.Fatalf("found %v", found.Data)
				}
				if !c.none && found.String("first_break.event_id") != one.ID.String() || found.Int("first_break.block") == 0 {
					t.Errorf("found %v, want %s", found.Data, one.ID)
				}
			})
		})
	}
}

// twin is an identifier beside that of an event.
func twin(e event.Record) string {
	text := []byte(e.ID.String())
	if last := len(text) - 1; text[last] == '0' {
		text[last] = '1'
	} else {
		text[last] = '0'
	}
	return string(text)
}

// An event that is removed before its block is closed is missed all the same: its place in the
// feed has nothing behind it, or is not there.
func TestVerifyFindsWhatWasRemovedEarly(t *testing.T) {
	t.Parallel()
	for name, removals := range map[string][]string{
		"the event":               {"DELETE FROM events WHERE id = '%s'"},
		"the event and its place": {"DELETE FROM events WHERE id = '%s'", "DELETE FROM event_feed WHERE event_id = '%s'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
				root, _ := chained(t, h)
				for _, role := range []string{"gone", "behind it"} {
					root.Do("ROLE.CREATE", P{"name": role, "permissions": []string{"apps:read"}}).OK()
				}
				gone := h.Events("role.created")[1]
				h.SendWebhooks()
				for _, removal := range removals {
					run(t, h, fmt.Sprintf(removal, gone.ID))
				}
				h.Clock.Advance(2 * time.Minute)
				if err := h.Relay.Seal(t.Context()); err != nil {
					t.Fatal(err)
				}
				found := root.Do("AUDIT.VERIFY", nil).OK()
				if found.Bool("intact") || found.String("first_break.what") != "missing" || found.Int("first_break.block") != 4 || !found.Has("first_break.at") {
					t.Errorf("found %v", found.Data)
				}
				if id := found.Data["first_break"].(P)["event_id"]; len(removals) == 1 && root.OrgID != "" && id != gone.ID.String() {
					t.Errorf("found %v, want %s", id, gone.ID)
				}
			})
		})
	}
}

// The end of the chain is signed by a key of the JWKS, as a stock library verifies it; who keeps
// that finds out whether the chain was written anew.
func TestHeadsOfTheChain(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, _ := chained(t, h)
		head := root.Do("AUDIT.VERIFY", nil).OK().String("head")
		published := httptest.NewServer(h.Handler)
		t.Cleanup(published.Close)
		payload, err := oidc.NewRemoteKeySet(t.Context(), published.URL+"/.well-known/jwks.json").VerifySignature(t.Context(), head)
		var states struct {
			ISS, Hash  string
			IAT, Block int64
		}
		if err != nil || json.Unmarshal(payload, &states) != nil || states.ISS != harness.Issuer || states.Block != 1 || len(states.Hash) != 64 {
			t.Fatalf("the head %s states %+v (%v)", head, states, err)
		}
		if kept := root.Do("AUDIT.VERIFY", P{"head": head}).OK(); !kept.Bool("intact") {
			t.Errorf("against a head that was kept: %v", kept.Data)
		}
		root.Do("JWT_KEY.ROTATE", P{"overlap_hours": 0}).OK()
		h.Clock.Advance(time.Minute)
		root = h.Superadmin()
		if later := root.Do("AUDIT.VERIFY", P{"head": head}).OK(); !later.Bool("intact") {
			t.Errorf("once its key is gone: %v", later.Data)
		}
		// Somebody writes the chain anew, and does away with its heads.
		run(t, h, "DELETE FROM audit_blocks")
		run(t, h, "DELETE FROM audit_heads")
		if err := h.Relay.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		if anew := root.Do("AUDIT.VERIFY", nil).OK(); !anew.Bool("intact") {
			t.Fatalf("the chain anew: %v", anew.Data)
		}
		found := root.Do("AUDIT.VERIFY", P{"head": head}).OK()
		if found.Bool("intact") || found.String("first_break.what") != "altered" || found.Int("first_break.block") != 1 {
			t.Errorf("found %v", found.Data)
		}
		for _, none := range []string{"x", "a.b.c", "e30.e30.e30", head + ".x"} {
			h.Clock.Advance(time.Minute) // no more than a few are verified in one
			root.Do("AUDIT.VERIFY", P{"head": none}).Fails(fault.Validation).Field("/head")
		}
	})
}

// An event that is put in with an old time is found where it came in.
func TestVerifyFindsWhatIsBackdated(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		_, middle := chained(t, h)
		h.Clock.Advance(3 * time.Hour)
		root := h.Superadmin()
		seal := func() {
			h.Clock.Advance(2 * time.Minute)
			h.SendWebhooks()
			if err := h.Relay.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		seal()
		run(t, h, `INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, request_index, command, data)
			SELECT '`+twin(middle[0])+`', kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent, request_id, request_index, command, '' FROM events WHERE id = '`+middle[0].ID.String()+`'`)
		seal()
		found := root.Do("AUDIT.VERIFY", nil).OK()
		if found.Bool("intact") || found.String("first_break.what") != "inserted" || found.String("first_break.event_id") != twin(middle[0]) {
			t.Errorf("found %v", found.Data)
		}
	})
}

// A workspace is told of a break, but not of an event that it may not see.
func TestVerifyShowsOnlyOnesOwn(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		_, middle := chained(t, h)
		alice := h.SignUp("alice@example.com")
		run(t, h, "UPDATE events SET actor_id = 'x' WHERE id = '"+middle[0].ID.String()+"'")
		found := alice.Do("AUDIT.VERIFY", nil).OK()
		if found.Bool("intact") || found.Data["first_break"].(P)["event_id"] != nil {
			t.Errorf("found %v", found.Data)
		}
		alice.Do("AUDIT.VERIFY", P{"from": h.Clock.Now(), "to": h.Clock.Now().Add(-time.Hour)}).Fails(fault.Validation)
		later := alice.Do("AUDIT.VERIFY", P{"from": h.Clock.Now().Add(time.Hour)}).OK()
		if !later.Bool("intact") || later.Int("checked") != 0 {
			t.Errorf("nothing to check: %v", later.Data)
		}
	})
}

func count(t *testing.T, h *harness.Service, what string) (n int) {
	t.Helper()
	if err := h.Store.Reader(t.Context()).Get(t.Context(), &n, "SELECT COUNT(*) FROM "+what); err != nil {
		t.Fatal(err)
	}
	return n
}

func purgeEvents(t *testing.T, h *harness.Service) {
	t.Helper()
	p := upkeep.Purger{Upkeep: h.Keeper.Upkeep, Instance: h.Keeper.Instance, Clock: h.Clock}
	if _, err := p.Purge(context.Background(), []ops.PurgeKind{ops.PurgeEvents}); err != nil {
		t.Fatal(err)
	}
}

// What no block proves yet is kept until one does, however old it is: else it would be missed.
func TestRetentionWaitsForTheChain(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		h.Superadmin()
		h.SendWebhooks()
		h.Clock.Advance(401 * 24 * time.Hour)
		all := count(t, h, "events")
		if purgeEvents(t, h); count(t, h, "events") != all {
			t.Errorf("%d of %d events are left before they are chained", count(t, h, "events"), all)
		}
		if err := h.Relay.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		if purgeEvents(t, h); count(t, h, "events") != 0 {
			t.Errorf("%d of %d events are left after it", count(t, h, "events"), all)
		}
		if found := h.Superadmin().Do("AUDIT.VERIFY", nil).OK(); !found.Bool("intact") {
			t.Errorf("after retention: %v", found.Data)
		}
	})
}

// Retention cuts the chain in whole blocks, and what is left still holds.
func TestRetentionCutsWholeBlocks(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		chained(t, h)
		count := func(what string) int { return count(t, h, what) }
		all := count("events")
		h.Clock.Advance(400*24*time.Hour - 5*time.Minute) // within the second of three blocks
		purgeEvents(t, h)
		left, cut := count("events"), count("audit_blocks WHERE cut_at IS NOT NULL AND proofs = ''")
		if left == all || left == 0 || cut == 0 || cut == 3 || count("audit_blocks") != 3 {
			t.Fatalf("%d of %d events are left, %d blocks are cut", left, all, cut)
		}
		root := h.Superadmin()
		if found := root.Do("AUDIT.VERIFY", nil).OK(); !found.Bool("intact") || found.Int("checked") != left {
			t.Errorf("after retention: %v, %d events are left", found.Data, left)
		}
	})
}
