package operations_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/test/harness"
)

// one returns a setting as SETTINGS.GET shows it.
func one(t *testing.T, root *harness.Actor, key string) harness.P {
	t.Helper()
	items := root.Do("SETTINGS.GET", harness.P{"keys": []string{key}}).List("items")
	if len(items) != 1 || items[0]["key"] != key {
		t.Fatalf("items = %v, want %s alone", items, key)
	}
	return items[0]
}

func wantOne(t *testing.T, root *harness.Actor, key string, value, fallback any, source string) {
	t.Helper()
	got := one(t, root, key)
	if !reflect.DeepEqual(got["value"], value) || !reflect.DeepEqual(got["default"], fallback) || got["source"] != source {
		t.Errorf("%s = %v, want %v, default %v, source %s", key, got, value, fallback, source)
	}
}

func TestGetListsEverySetting(t *testing.T) {
	t.Parallel()
	items := harness.New(t).Superadmin().Do("SETTINGS.GET", nil).List("items")
	var keys []string
	for _, item := range items {
		key, _ := item["key"].(string)
		keys = append(keys, key)
		described, _ := item["schema"].(harness.P)
		if described["type"] == nil || described["description"] == nil {
			t.Errorf("the schema of %s is %v", key, item["schema"])
		}
		if !reflect.DeepEqual(item["value"], item["default"]) || item["source"] != "default" {
			t.Errorf("%s = %v", key, item)
		}
	}
	want := []string{}
	for field := range reflect.TypeFor[setting.Values]().Fields() {
		want = append(want, field.Tag.Get("json"))
	}
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		t.Errorf("keys = %q, want %q", keys, want)
	}
}

func TestGetTellsTheSource(t *testing.T) {
	t.Parallel()
	h := harness.On(t, harness.SQLite(t),
		"ENABLE_PUBLIC_REGISTRATION=false", "CORS_ORIGINS=https://app.example.com")
	root := h.Superadmin()
	wantOne(t, root, "public_registration", false, false, "environment")
	wantOne(t, root, "cors_origins", []any{"https://app.example.com"}, []any{"https://app.example.com"}, "environment")
	wantOne(t, root, "access_token_seconds", 900.0, 900.0, "default")
	root.Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": true, "access_token_seconds": 600}}).OK()
	wantOne(t, root, "public_registration", true, false, "store")
	wantOne(t, root, "access_token_seconds", 600.0, 900.0, "store")
	root.Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": nil, "access_token_seconds": nil}}).OK()
	wantOne(t, root, "public_registration", false, false, "environment")
	wantOne(t, root, "access_token_seconds", 900.0, 900.0, "default")
}

func TestGetNamesUnknownKeys(t *testing.T) {
	t.Parallel()
	root := harness.New(t).Superadmin()
	root.Do("SETTINGS.GET", harness.P{"keys": []string{"cors_origins", "color"}}).Fails(fault.Validation).Field("/keys/1")
	if items := root.Do("SETTINGS.GET", harness.P{"keys": []string{}}).List("items"); len(items) != 0 {
		t.Errorf("items = %v for no keys", items)
	}
}

func TestSettingsSetTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	database := harness.SQLite(t)
	here, there := harness.On(t, database), harness.On(t, database)
	root := here.Superadmin()
	root.Do("SETTINGS.SET", harness.P{"values": harness.P{"public_registration": false, "access_token_seconds": 60}}).OK()
	for _, replica := range []*harness.Service{here, there} {
		replica.Anonymous().Do("AUTH.SIGNUP", harness.P{
			"email": "alice@example.com", "password": harness.Password, "display_name": "Alice",
		}).Fails(fault.Denied)
		short := replica.Superadmin()
		replica.Clock.Advance(time.Minute)
		short.Do("AUTH.WHOAMI", nil).Fails(fault.TokenExpired)
	}
}

func TestSetTellsWhatChanged(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	set := func(values harness.P) []string {
		t.Helper()
		return root.Do("SETTINGS.SET", harness.P{"values": values}).Strings("changed")
	}
	if got := set(harness.P{"refresh_retry_seconds": 0, "access_token_seconds": 600}); !slices.Equal(got, []string{"access_token_seconds", "refresh_retry_seconds"}) {
		t.Errorf("changed = %q", got)
	}
	if got := set(harness.P{"refresh_retry_seconds": 5, "access_token_seconds": 600, "cors_origins": nil}); !slices.Equal(got, []string{"refresh_retry_seconds"}) {
		t.Errorf("changed = %q", got)
	}
	if got := set(harness.P{"refresh_retry_seconds": 5, "cors_origins": nil}); len(got) != 0 {
		t.Errorf("changed = %q, want nothing", got)
	}
	events := h.Events(setting.KindUpdated)
	if len(events) != 2 || string(events[0].Data) != `{"changed":["refresh_retry_seconds"]}` {
		t.Errorf("events %+v, want two", events)
	}
}

func TestSetNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for _, test := range []struct {
		values, path string
	}{
		{`{"color": "red"}`, "/values/color"},
		{`{"color": null}`, "/values/color"},
		{`{"public_registration": "no"}`, "/values/public_registration"},
		{`{"access_token_seconds": 59}`, "/values/access_token_seconds"},
		{`{"access_token_seconds": 600.5}`, "/values/access_token_seconds"},
		{`{"refresh_retry_seconds": 61}`, "/values/refresh_retry_seconds"},
		{`{"cors_origins": "*"}`, "/values/cors_origins"},
		{`{"cors_origins": ["https://app.example.com", "https://app.example.com/"]}`, "/values/cors_origins/1"},
		{`{"cors_origins": ["app.example.com"]}`, "/values/cors_origins/0"},
		{`{"cors_origins": ["https://App.example.com"]}`, "/values/cors_origins/0"},
		{`{"cors_origins": ["https://user@app.example.com"]}`, "/values/cors_origins/0"},
		{`{"cors_origins": ["https://app.example.com?q"]}`, "/values/cors_origins/0"},
		{`{"cors_origins": ["null"]}`, "/values/cors_origins/0"},
		{`{"cors_origins": [""]}`, "/values/cors_origins/0"},
		{`{}`, "/values"},
	} {
		root.Do("SETTINGS.SET", harness.P{"values": json.RawMessage(test.values)}).Fails(fault.Validation).Field(test.path)
	}
	if got := len(h.Events(setting.KindUpdated)); got != 0 {
		t.Errorf("%d events, want none", got)
	}
}

func TestSetOrigins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	origins := []any{"*", "https://app.example.com", "http://localhost:3000"}
	h.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"cors_origins": origins}}).OK()
	wantOne(t, h.Superadmin(), "cors_origins", origins, []any{}, "store")
}
