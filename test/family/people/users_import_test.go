package people_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

func rows(all ...P) P { return P{"users": all} }

// counts are imported, updated, skipped and failed.
func counts(t *testing.T, r *harness.Reply, want ...int) *harness.Reply {
	t.Helper()
	for i, field := range []string{"imported", "updated", "skipped", "failed"} {
		if got := r.OK().Int(field); got != want[i] {
			t.Fatalf("%s = %d, want %d: %v", field, got, want[i], r.Data)
		}
	}
	return r
}

// complaints are index and path of each error.
func complaints(r *harness.Reply) []string {
	var all []string
	for _, e := range r.List("errors") {
		path, _ := e["path"].(string)
		all = append(all, fmt.Sprintf("%v%s", e["index"], path))
	}
	return all
}

func statuses(r *harness.Reply) []string {
	var all []string
	for i, item := range r.List("items") {
		if item["index"] != float64(i) {
			all = append(all, "out of order")
		}
		all = append(all, item["status"].(string))
	}
	return all
}

func TestImportTakesAnExport(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	export := rows(
		P{"user_id": "auth0|1", "email": "Zoe@EXAMPLE.com", "email_verified": true, "password_hash": bcryptHash, "app_metadata": P{"plan": "pro"}},
		P{"sub": "oidc-2", "email": "yan@example.com", "display_name": "Yan", "metadata_json": nil, "password_hash": ""},
	)
	dryRunRaises(t, root.DryRun().Do("USER.BULK_IMPORT", export), "user.created", "team.created", "user.created", "team.created")
	done := counts(t, root.Do("USER.BULK_IMPORT", export), 2, 0, 0, 0)
	userSame(t, statuses(done), []string{"imported", "imported"})
	zoe := root.Do("USER.GET", P{"email": "zoe@example.com"}).OK()
	userSame(t, []string{zoe.String("user.external_id"), zoe.String("user.metadata_json.plan"), zoe.String("user.email")},
		[]string{"auth0|1", "pro", "Zoe@example.com"})
	if !zoe.Bool("user.email_verified") || zoe.String("user.id") != done.List("items")[0]["user_id"] {
		t.Errorf("imported %v", zoe.Data)
	}
	events(t, h, zoe.String("user.id"), map[event.Kind]int{"user.created": 1, "team.created": 1})
	userSame(t, h.Login("zoe@example.com", upstreamPW).Do("AUTH.WHOAMI", nil).Strings("roles"), []string{"owner"})
	h.Login("zoe@example.com", upstreamPW)
	h.Anonymous().Do("AUTH.LOGIN", P{"email": "yan@example.com", "password": upstreamPW}).Fails(fault.Auth)
	// The same call again finds everything done, and a longer one continues.
	counts(t, root.Do("USER.BULK_IMPORT", export), 0, 0, 2, 0)
	counts(t, root.Do("USER.BULK_IMPORT", rows(append(export["users"].([]P), P{"email": "xia@example.com"})...)), 1, 0, 2, 0)
}

func TestImportReportsBadRowsAndGoesOn(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	taken := root.Do("USER.CREATE", P{"email": "taken@example.com", "external_id": "taken"}).String("user.id")
	bad := []P{
		{},
		{"email": "no address"},
		{"email": 7},
		{"email": "a@example.com", "nickname": "a"},
		{"email": "a@example.com", "password": "a plain password"},
		{"email": "a@example.com", "is_superadmin": true},
		{"email": "a@example.com", "password_hash": "plain"},
		{"email": "a@example.com", "sub": "1", "user_id": "2"},
		{"email": "a@example.com", "app_metadata": "text"},
		{"email": "a@example.com", "app_metadata": P{"a": P{"b": long(17 << 10)}}},
		{"email": "a@example.com", "display_name": "a\u0001"},
		{"email": "a@example.com", "email_verified": "yes"},
	}
	done := root.Do("USER.BULK_IMPORT", rows(append(bad, P{"email": "good@example.com"})...))
	counts(t, done, 1, 0, 0, len(bad))
	userSame(t, complaints(done), []string{
		"0/email", "1/email", "2/email", "3/nickname", "4/password", "5/is_superadmin", "6/password_hash", "7/user_id",
		"8/app_metadata", "9/app_metadata", "10/display_name", "11/email_verified",
	})
	conflicts := rows(P{"email": "TAKEN@example.com"}, P{"email": "b@example.com", "sub": "taken"}, P{"email": "c@example.com"})
	userSame(t, statuses(root.Do("USER.BULK_IMPORT", conflicts)), []string{"skipped", "skipped", "imported"})
	conflicts["on_conflict"] = "fail"
	refused := root.Do("USER.BULK_IMPORT", conflicts).OK()
	userSame(t, complaints(refused), []string{"0/email", "1/sub", "2/email"})
	conflicts["on_conflict"] = "update"
	userSame(t, complaints(root.Do("USER.BULK_IMPORT", conflicts)), []string{"1/sub"})
	events(t, h, taken, map[event.Kind]int{"user.updated": 0})
	root.Do("USER.GET", P{"email": "a@example.com"}).Fails(fault.NotFound)
}

func TestImportMapsFields(t *testing.T) {
	t.Parallel()
	root := harness.New(t).Superadmin()
	export := rows(P{"uid": "7", "mail": "ada@example.com", "name": "Ada", "picture": "x", "sub": "ignored", "hash/2": bcryptHash})
	export["mapping"] = P{"uid": "external_id", "mail": "email", "name": "display_name", "picture": nil, "sub": nil, "hash/2": "password_hash"}
	counts(t, root.Do("USER.BULK_IMPORT", export), 1, 0, 0, 0)
	ada := root.Do("USER.GET", P{"external_id": "7"}).OK()
	userSame(t, []string{ada.String("user.email"), ada.String("user.display_name")}, []string{"ada@example.com", "Ada"})
	export["users"].([]P)[0]["hash/2"] = "plain"
	userSame(t, complaints(root.Do("USER.BULK_IMPORT", export)), []string{"0/hash~12"})
	for _, wrong := range []any{P{"x": "is_superadmin"}, P{"x": 1}, []any{}} {
		root.Do("USER.BULK_IMPORT", P{"users": []any{P{"email": "b@example.com"}}, "mapping": wrong}).Fails(fault.Validation)
	}
}

func TestImportUpdates(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	root.Do("USER.SET_METADATA", P{"user_id": alice.UserID, "metadata_json": P{"a": 1, "b": 2}}).OK()
	update := func(row P) *harness.Reply {
		return root.Do("USER.BULK_IMPORT", P{"users": []P{row}, "on_conflict": "update"})
	}
	counts(t, update(P{"email": "ALICE@example.com", "sub": "s1", "email_verified": true, "app_metadata": P{"b": nil, "c": 3}}), 0, 1, 0, 0)
	me := alice.Do("USER.ME", nil).OK()
	if me.String("external_id") != "s1" || !me.Bool("email_verified") || me.Has("metadata_json.b") || me.Int("metadata_json.a") != 1 {
		t.Errorf("updated to %v", me.Data)
	}
	userSame(t, []string{me.String("display_name"), me.String("email")}, []string{"alice", "alice@example.com"})
	unchanged := counts(t, update(P{"email": "alice@example.com", "sub": "s1", "email_verified": false}), 0, 0, 1, 0)
	if unchanged.List("items")[0]["user_id"] != alice.UserID {
		t.Errorf("answered %v", unchanged.Data)
	}
	h.Login("alice@example.com", harness.Password)
	events(t, h, alice.UserID, map[event.Kind]int{"password.set": 0, "session.revoked": 0})
	over := update(P{"email": "alice@example.com", "app_metadata": P{"d": long(16<<10 - 15)}})
	userSame(t, complaints(over), []string{"0/app_metadata"})
}

func TestImportedHashesReplaceAndEndSessions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	update := P{"users": []P{{"email": "alice@example.com", "password_hash": bcryptHash}}, "on_conflict": "update"}
	dryRunRaises(t, root.DryRun().Do("USER.BULK_IMPORT", update), "password.set", "session.revoked")
	lock(h, "alice@example.com")
	counts(t, root.Do("USER.BULK_IMPORT", update), 0, 1, 0, 0)
	alice.Do("USER.ME", nil).Fails(fault.Auth)
	// The lock is not the import's to lift.
	h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": upstreamPW}).Fails(fault.Auth)
	counts(t, root.Do("USER.BULK_IMPORT", update), 0, 0, 1, 0)
	root.Do("USER.UNLOCK", P{"user_id": alice.UserID}).OK()
	h.Login("alice@example.com", upstreamPW)
	events(t, h, alice.UserID, map[event.Kind]int{"password.set": 1, "session.revoked": 1})
}

// A key for users:manage that gave its superadmin a password would log in as one.
func TestAKeyImportsNoPasswordForItsSuperadmin(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	key := h.With(root.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"users:manage"}}).OK().String("key"))
	update := func(row P) *harness.Reply {
		row["email"] = harness.AdminEmail
		return key.Do("USER.BULK_IMPORT", P{"users": []P{row}, "on_conflict": "update"})
	}
	refused := counts(t, update(P{"password_hash": bcryptHash, "display_name": "Eve"}), 0, 0, 0, 1)
	userSame(t, []string{refused.List("errors")[0]["message"].(string)}, []string{fault.From(account.ErrShielded).Message})
	events(t, h, root.UserID, map[event.Kind]int{"password.set": 0, "session.revoked": 0, "user.updated": 0})
	counts(t, update(P{"display_name": "Root"}), 0, 1, 0, 0)
}

// Nor does it verify the superadmin's address, by which a provider lets people in.
func TestAKeyVerifiesNoAddressOfItsSuperadmin(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	key := h.With(root.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"users:manage"}}).OK().String("key"))
	update := func(by *harness.Actor) *harness.Reply {
		row := P{"email": harness.AdminEmail, "email_verified": true}
		return by.Do("USER.BULK_IMPORT", P{"users": []P{row}, "on_conflict": "update"})
	}
	counts(t, update(key), 0, 0, 1, 0) // It is verified already.
	root.Do("USER.SET_EMAIL", P{"user_id": root.UserID, "email": harness.AdminEmail, "verified": false}).OK()
	refused := counts(t, update(key), 0, 0, 0, 1)
	userSame(t, []string{refused.List("errors")[0]["message"].(string)}, []string{fault.From(account.ErrShielded).Message})
	counts(t, update(root), 0, 1, 0, 0)
}

func TestImportOfTwinsWithinACall(t *testing.T) {
	t.Parallel()
	root := harness.New(t).Superadmin()
	twins := rows(P{"email": "b@example.com", "sub": "1"}, P{"email": "a@example.com"}, P{"email": "B@example.com", "sub": "2"})
	userSame(t, statuses(root.Do("USER.BULK_IMPORT", twins)), []string{"imported", "imported", "skipped"})
	twins["on_conflict"] = "update"
	userSame(t, statuses(root.Do("USER.BULK_IMPORT", twins)), []string{"skipped", "skipped", "updated"})
}

// exported is an export of 300 accounts. Every hundredth row is bad.
func exported() []P {
	var export []P
	for i := range 300 {
		row := P{"sub": fmt.Sprintf("u|%d", i), "email": fmt.Sprintf("u%d@example.com", i), "password_hash": bcryptHash}
		if i%100 == 50 {
			row["email"] = "bad"
		}
		export = append(export, row)
	}
	return export
}

func TestImportOfHundreds(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, export := h.Superadmin(), exported()
		counts(t, root.Do("USER.BULK_IMPORT", rows(export[:120]...)), 119, 0, 0, 1)
		counts(t, root.Idempotent("import-1").Do("USER.BULK_IMPORT", rows(export...)), 178, 0, 119, 3)
		if again := root.Idempotent("import-1").Do("USER.BULK_IMPORT", rows(export...)).OK(); !again.Replayed {
			t.Error("the same key ran again")
		}
		h.Login("u299@example.com", upstreamPW)
	})
}

func TestAnImportThatBreaksOffIsContinued(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, export := h.Superadmin(), exported()
		params, err := json.Marshal(rows(export...))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		broke := make(chan inbound.Reply)
		go func() {
			broke <- h.Engine.Execute(ctx, inbound.Request{
				Command: "USER.BULK_IMPORT", Params: params, Authorization: "Bearer " + root.AccessToken, RequestID: "r",
			})
		}()
		for len(h.Events("user.created")) < 60 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if reply := <-broke; reply.Failure == nil || reply.Failure.Code != fault.Internal {
			t.Fatalf("the call that broke off answered %+v", reply.Failure)
		}
		made := len(h.Events("user.created")) - 1 // the superadmin's
		if teams := len(h.Events("team.created")) - 1; teams != made {
			t.Errorf("%d accounts with %d workspaces", made, teams)
		}
		counts(t, root.Do("USER.BULK_IMPORT", rows(export...)), 297-made, 0, made, 3)
		t.Logf("%d rows came before the break", made)
	})
}

func TestTwoImportsOfTheSamePeople(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, export := h.Superadmin(), exported()[:200]
		backwards := slices.Clone(export)
		slices.Reverse(backwards)
		var imported atomic.Int64
		var all sync.WaitGroup
		for _, order := range [][]P{export, backwards, export, backwards} {
			all.Go(func() { imported.Add(int64(root.Do("USER.BULK_IMPORT", rows(order...)).OK().Int("imported"))) })
		}
		all.Wait()
		if imported.Load() != 198 {
			t.Errorf("imported %d accounts, want 198", imported.Load())
		}
	})
}

// Two exports that give the same external ids to other addresses wait for each other
// in a circle on a database that locks rows.
func TestTwoImportsThatCross(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		var exports [2][]P
		for i := range 100 {
			for n, sub := range []int{i, 99 - i} {
				exports[n] = append(exports[n], P{"sub": fmt.Sprintf("u|%d", sub), "email": fmt.Sprintf("u%02d@%d.example", i, n)})
			}
		}
		replies := harness.Together(2, func(n int) *harness.Reply {
			return root.Do("USER.BULK_IMPORT", rows(exports[n]...))
		})
		if first, second := replies[0].OK().Int("imported"), replies[1].OK().Int("imported"); first+second != 100 {
			t.Errorf("imported %d and %d accounts, want 100 in all", first, second)
		}
	})
}
