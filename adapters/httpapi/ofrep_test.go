package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

const (
	flagsPath = "/ofrep/v1/evaluate/flags"
	flagPath  = flagsPath + "/export.pdf"
)

// decides returns an application with a constant evaluation.
func decides(features string) *scripted {
	return &scripted{reply: func(context.Context, inbound.Request) inbound.Reply {
		return inbound.Reply{Data: []byte(`{"features":` + features + `}`)}
	}}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	app := decides(`{"z":{"value":3,"source":"license"},"a":{"value":"x","source":"default"}}`)
	handler := start(t, bench(app))
	w := do(handler, sendTo(flagsPath, `{"context":{"targetingKey":"usr_1","plan":{"name":"pro"}},"later":1}`, "Authorization", "Bearer x.y.z"))
	const want = `{"flags":[{"key":"a","value":"x","reason":"DEFAULT","metadata":{"source":"default"}},` +
		`{"key":"z","value":3,"reason":"TARGETING_MATCH","metadata":{"source":"license"}}]}`
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("flags = %d %s", w.Code, w.Body)
	}
	asked := app.last(t)
	if asked.Command != "FEATURE.EVALUATE" || asked.Authorization != "Bearer x.y.z" || asked.Path != flagsPath {
		t.Errorf("asked %+v", asked)
	}
	same(t, string(asked.Params), `{"attributes":{"plan":{"name":"pro"},"targetingKey":"usr_1"}}`)
	tag := w.Header().Get("ETag")
	for sent, code := range map[string]int{
		tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200, "": 200,
	} {
		again := do(handler, sendTo(flagsPath, `{}`, "If-None-Match", sent))
		if again.Code != code || (again.Body.Len() == 0) != (code == 304) || again.Header().Get("ETag") != tag {
			t.Errorf("If-None-Match %q: %d %s, ETag %s", sent, again.Code, again.Body, again.Header().Get("ETag"))
		}
	}
	same(t, string(app.last(t).Params), `{"attributes":{"targetingKey":""}}`)
}

func TestFlag(t *testing.T) {
	t.Parallel()
	app := decides(`{"export.pdf":{"value":true,"source":"rule"}}`)
	handler := start(t, bench(app))
	w := do(handler, sendTo(flagPath, `{"context":{}}`, "X-API-Key", "ak_live_1"))
	if w.Code != http.StatusOK || w.Body.String() != `{"key":"export.pdf","value":true,"reason":"TARGETING_MATCH","metadata":{"source":"rule"}}` {
		t.Errorf("flag = %d %s", w.Code, w.Body)
	}
	same(t, app.last(t).Authorization, "Bearer ak_live_1")
	same(t, string(app.last(t).Params), `{"keys":["export.pdf"],"attributes":{"targetingKey":""}}`)
	both := do(handler, sendTo(flagPath, `{}`, "X-API-Key", "ak_live_1", "Authorization", "Bearer x"))
	if both.Code != http.StatusUnauthorized {
		t.Errorf("two credentials = %d %s", both.Code, both.Body)
	}
	none := do(start(t, bench(decides(`{}`))), sendTo(flagPath, `{}`))
	if none.Code != http.StatusNotFound || none.Body.String() != `{"key":"export.pdf","errorCode":"FLAG_NOT_FOUND","errorDetails":"feature not found"}` {
		t.Errorf("no flag = %d %s", none.Code, none.Body)
	}
	if get := do(handler, get(flagPath)); get.Code != http.StatusMethodNotAllowed || get.Header().Get("Allow") != "POST" {
		t.Errorf("GET = %d", get.Code)
	}
}

func TestFlagFailures(t *testing.T) {
	t.Parallel()
	busy := fault.New(fault.RateLimited, "slow down")
	busy.RetryAfter = 7 * time.Second
	for body, c := range map[*fault.Error]struct {
		code int
		body string
	}{
		fault.Unfit("/attributes/targetingKey", "must be a string"): {400, `{"key":"export.pdf","errorCode":"INVALID_CONTEXT","errorDetails":"/attributes/targetingKey must be a string"}`},
		fault.Unfit("/keys/0", "has the wrong format"):              {404, `{"key":"export.pdf","errorCode":"FLAG_NOT_FOUND","errorDetails":"feature not found"}`},
		fault.New(fault.Auth, "no"):                                 {401, `{"key":"export.pdf","errorCode":"GENERAL","errorDetails":"no"}`},
		fault.New(fault.Denied, "no"):                               {403, `{"key":"export.pdf","errorCode":"GENERAL","errorDetails":"no"}`},
		busy:                                                        {429, `{"key":"export.pdf","errorCode":"GENERAL","errorDetails":"slow down"}`},
		fault.From(errors.New("secret")):                            {500, `{"key":"export.pdf","errorCode":"GENERAL","errorDetails":"internal error, request id made-1"}`},
	} {
		w := do(start(t, bench(fails(body))), sendTo(flagPath, `{}`))
		if w.Code != c.code || w.Body.String() != c.body {
			t.Errorf("%v = %d %s", body, w.Code, w.Body)
		}
		if (w.Code == 429) != (w.Header().Get("Retry-After") == "7") || (w.Code == 401) != (w.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("%v: headers %v", body, w.Header())
		}
	}
	handler := start(t, bench(&scripted{}))
	for _, body := range []string{``, `[]`, `{"context":1}`, `{"context":{"a":1,"a":2}}`, `{"context":{}} x`, "{\"context\":{\"a\":\"\xff\"}}"} {
		w := do(handler, sendTo(flagsPath, body))
		if w.Code != http.StatusBadRequest || string(w.Body.Bytes()[:26]) != `{"errorCode":"PARSE_ERROR"` {
			t.Errorf("%q = %d %s", body, w.Code, w.Body)
		}
	}
	if w := do(handler, sendTo(flagsPath, `{}`, "Content-Type", "text/plain")); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("text = %d", w.Code)
	}
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
