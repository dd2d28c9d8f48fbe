package people_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestMeIsTheProfileItself(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	me := alice.Do("USER.ME", nil).OK()
	userSame(t, []string{me.String("id"), me.String("email"), me.String("display_name"), me.String("status")},
		[]string{alice.UserID, "alice@example.com", "alice", "active"})
	if me.Bool("is_superadmin") || !h.Superadmin().Do("USER.ME", nil).Bool("is_superadmin") {
		t.Error("is_superadmin is wrong")
	}
}

func TestUpdateChangesWhatIsGiven(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	h.Clock.Advance(time.Minute)
	changed := alice.Do("USER.UPDATE", P{
		"avatar": "https://cdn.example.com/a.png?s=64", "locale": "de-CH", "timezone": "America/Argentina/Buenos_Aires",
	}).OK()
	userSame(t, []string{changed.String("user.avatar"), changed.String("user.display_name"), changed.String("user.locale")},
		[]string{"https://cdn.example.com/a.png?s=64", "alice", "de-CH"})
	if changed.String("user.updated_at") == changed.String("user.created_at") {
		t.Error("updated_at did not move")
	}
	alice.Do("USER.UPDATE", P{"user_id": alice.UserID, "avatar": "", "locale": "", "display_name": "Alice Liddell"}).OK()
	me := alice.Do("USER.ME", nil)
	userSame(t, []string{me.String("avatar"), me.String("locale"), me.String("display_name"), me.String("timezone")},
		[]string{"", "", "Alice Liddell", "America/Argentina/Buenos_Aires"})
	events(t, h, alice.UserID, map[event.Kind]int{"user.updated": 2})
	alice.Do("USER.UPDATE", P{"display_name": "Alice Liddell"}).OK()
	alice.Do("USER.UPDATE", nil).OK()
	events(t, h, alice.UserID, map[event.Kind]int{"user.updated": 2})
}

func TestUpdateRefusesBadValues(t *testing.T) {
	t.Parallel()
	alice := harness.New(t).SignUp("alice@example.com")
	for field, values := range map[string][]string{
		"display_name": {"", long(201), "a\u0000b", "a\nb", "a\u0085b"},
		"avatar":       {"javascript:alert(1)", "ftp://example.com/a", "https://", "https://u:p@example.com/a", "https://example.com/" + long(2048), "//example.com", "https://example.com/ a", "https://example.com\\@evil"},
		"locale":       {"x", "en_US", "de-", long(36)},
		"timezone":     {"/Europe", "../etc/passwd", "Europe/", "A/B/C/D", "Europe/Zu rich"},
	} {
		for _, value := range values {
			alice.Do("USER.UPDATE", P{field: value}).Fails(fault.Validation).Field("/" + field)
		}
	}
}

func TestUpdateOfOthersAndExternalIDs(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "admin")
	for _, stranger := range []*harness.Actor{bob, mate} {
		stranger.Do("USER.UPDATE", P{"user_id": alice.UserID, "display_name": "Eve"}).Fails(fault.NotFound)
		stranger.Do("USER.UPDATE", P{"user_id": alice.UserID, "external_id": "x"}).Fails(fault.NotFound)
		stranger.Do("USER.UPDATE", P{"external_id": "x"}).Fails(fault.Denied)
	}
	root.Do("USER.UPDATE", P{"user_id": alice.UserID, "external_id": "crm-1", "display_name": "Al"}).OK()
	root.Do("USER.UPDATE", P{"user_id": bob.UserID, "external_id": "crm-1"}).Fails(fault.Validation).Field("/external_id")
	if got := alice.Do("USER.ME", nil).String("external_id"); got != "crm-1" {
		t.Errorf("external_id = %q", got)
	}
	root.Do("USER.UPDATE", P{"user_id": alice.UserID, "external_id": ""}).OK()
	root.Do("USER.UPDATE", P{"user_id": bob.UserID, "external_id": "crm-1"}).OK()
	dryRunRaises(t, alice.DryRun().Do("USER.UPDATE", P{"display_name": "Queen"}), "user.updated")
	if got := alice.Do("USER.ME", nil).String("display_name"); got != "Al" {
		t.Errorf("a dry run made the name %q", got)
	}
}

func TestMetadataIsMerged(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	set := func(patch P) *harness.Reply {
		return root.Do("USER.SET_METADATA", P{"user_id": alice.UserID, "metadata_json": patch})
	}
	set(P{"plan": "pro", "flags": P{"a": true, "b": P{"c": 1}}, "tags": []any{"x", "y"}}).OK()
	after := set(P{"plan": nil, "flags": P{"a": nil, "d": P{"e": nil, "f": 2}}, "tags": []any{"z"}}).OK()
	if after.Has("metadata_json.plan") || after.Has("metadata_json.flags.a") || after.Has("metadata_json.flags.d.e") {
		t.Errorf("null left something: %v", after.Data)
	}
	userSame(t, after.Strings("metadata_json.tags"), []string{"z"})
	me := alice.Do("USER.ME", nil)
	if me.Int("metadata_json.flags.b.c") != 1 || me.Int("metadata_json.flags.d.f") != 2 {
		t.Errorf("merged to %v", me.Data)
	}
	events(t, h, alice.UserID, map[event.Kind]int{"user.updated": 2})
	set(P{"tags": []any{"z"}}).OK()
	set(P{"absent": nil}).OK()
	events(t, h, alice.UserID, map[event.Kind]int{"user.updated": 2})
	dryRunRaises(t, root.DryRun().Do("USER.SET_METADATA", P{"user_id": alice.UserID, "metadata_json": P{"x": 1}}), "user.updated")
}

func TestMetadataIsBounded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	set := func(patch P) *harness.Reply {
		return root.Do("USER.SET_METADATA", P{"user_id": alice.UserID, "metadata_json": patch})
	}
	const most = 16<<10 - len(`{"<":""}`)
	set(P{"<": long(most)}).OK()
	set(P{"<": long(most + 1)}).Fails(fault.Validation).Field("/metadata_json")
	set(P{"b": 1}).Fails(fault.Validation).Field("/metadata_json")
	set(P{"<": nil}).OK()
	deep := func(levels int) P {
		var value any = 1
		for range levels - 1 {
			value = []any{value}
		}
		return P{"deep": value}
	}
	set(deep(8)).OK()
	set(deep(9)).Fails(fault.Validation).Field("/metadata_json")
}

func TestNamesThatShowNothingOrMislead(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	for _, name := range []string{"  ", "\u00a0", "Alice\u202e", "\u2066Alice\u2069"} {
		alice.Do("USER.UPDATE", P{"display_name": name}).Fails(fault.Validation).Field("/display_name")
		newcomer := P{"email": "new@example.com", "password": strongPW, "display_name": name}
		h.Anonymous().Do("AUTH.SIGNUP", newcomer).Fails(fault.Validation).Field("/display_name")
		root.Do("USER.CREATE", newcomer).Fails(fault.Validation).Field("/display_name")
		h.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": "new@example.com", "display_name": name}).Fails(fault.Validation).Field("/display_name")
		rows := root.Do("USER.BULK_IMPORT", P{"users": []P{{"email": "new@example.com", "display_name": name}}})
		userSame(t, complaints(counts(t, rows, 0, 0, 0, 1)), []string{"0/display_name"})
	}
	if got := alice.Do("USER.UPDATE", P{"display_name": " Alice Liddell\u3000"}).OK().String("user.display_name"); got != "Alice Liddell" {
		t.Errorf("the name is %q", got)
	}
}
