package commands_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

func deep(levels int) string {
	return `{"command":"AUTH.WHOAMI","params":{"a":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}}`
}

func TestBadBodies(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		const me = `"command":"USER.ME"`
		for name, body := range map[string]string{
			"empty": "", "blank": " ", "text": "hello", "a list": "[]", "null": "null", "a string": `"USER.ME"`, "a number": "1",
			"cut": `{"command":"USER.ME"`, "a comma too many": `{` + me + `,}`, "single quotes": `{'command':'USER.ME'}`,
			"no quotes": `{command:"USER.ME"}`, "a comment": `{` + me + `/* */}`, "NaN": `{` + me + `,"params":{"a":NaN}}`,
			"trailing data": `{` + me + `}{}`, "trailing text": `{` + me + `} x`, "two lines": "{" + me + "}\n{" + me + "}",
			"command twice": `{` + me + `,"command":"USER.LIST"}`, "command twice, escaped": `{` + me + `,"\u0063ommand":"USER.LIST"}`,
			"params twice": `{` + me + `,"params":{},"params":{}}`, "a parameter twice": `{` + me + `,"params":{"a":1,"a":2}}`,
			"deep duplicates":   `{` + me + `,"params":{"a":{"b":[{"c":1,"c":2}]}}}`,
			"invalid UTF-8":     `{"command":"USER.ME` + "\xff" + `"}`,
			"a lone surrogate":  `{"command":"USER.ME","params":{"a":"\ud800"}}`,
			"overlong UTF-8":    `{"command":"USER.ME` + "\xc0\xaf" + `"}`,
			"a control":         "{\"command\":\"USER\x01ME\"}",
			"a byte order mark": "\xef\xbb\xbf{" + me + "}",
			"deep":              deep(40), "very deep": deep(100_000),
			"no command": `{}`, "command null": `{"command":null}`, "command a number": `{"command":7}`, "command empty": `{"command":""}`,
			"command in capitals": `{"COMMAND":"USER.ME"}`, "command with a long s": `{"commanD":"USER.ME"}`,
			"params a list": `{` + me + `,"params":[]}`, "params null": `{` + me + `,"params":null}`, "params text": `{` + me + `,"params":"{}"}`,
			"dry_run a text": `{` + me + `,"dry_run":"yes"}`, "dry_run null": `{` + me + `,"dry_run":null}`,
		} {
			answer := here.Post([]byte(body), instance.JSONHeader())
			if answer.Status != http.StatusBadRequest || answer.Code() != "VALIDATION_ERROR" {
				t.Errorf("%s: %v %d %.300s, want 400 VALIDATION_ERROR", name, answer.Err, answer.Status, answer.Body)
			}
		}
	})
}

func TestParameters(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		ada, admin := here.SignUp(), here.Admin()
		header := instance.JSONHeader()
		header.Set("Authorization", "Bearer "+admin.Access)
		for body, want := range map[string]string{
			`{"command":"USER.LIST"}`:                                                          "OK",
			`{"command":"USER.LIST","params":{}}`:                                              "OK",
			`{"command":"USER.LIST","limit":1}`:                                                "OK",
			`{"command":"USER.LIST","params":{"limit":1}}`:                                     "OK",
			`{"command":"USER.LIST","params":{"status":"active"},"limit":1}`:                   "OK",
			`{"command":"USER.LIST","params":{"limit":1},"limit":1}`:                           "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"limit":0}}`:                                     "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"limit":201}}`:                                   "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"limit":"1"}}`:                                   "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"limit":1.5}}`:                                   "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"limit":true}}`:                                  "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"limit":1e99}}`:                                  "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"Limit":1}}`:                                     "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"nonsense":1}}`:                                  "VALIDATION_ERROR",
			`{"command":"USER.LIST","nonsense":1}`:                                             "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"cursor":"AAAA"}}`:                               "VALIDATION_ERROR",
			`{"command":"USER.LIST","params":{"cursor":"` + strings.Repeat("A", 400) + `"}}`:   "VALIDATION_ERROR",
			`{"command":"USER.GET","params":{"user_id":"usr_nonsense"}}`:                       "VALIDATION_ERROR",
			`{"command":"USER.GET","params":{"user_id":"` + ada.Session + `"}}`:                "VALIDATION_ERROR",
			`{"command":"USER.GET","params":{"user_id":"` + ada.ID[:len(ada.ID)-4] + `0000"}}`: "NOT_FOUND",
			`{"command":"USER.GET","params":{"email":"a b@example.com"}}`:                      "VALIDATION_ERROR",
			`{"command":"user.list"}`:                                                          "UNKNOWN_COMMAND",
			`{"command":"USER.LIST "}`:                                                         "UNKNOWN_COMMAND",
			`{"command":"USER"}`:                                                               "UNKNOWN_COMMAND",
			`{"command":"USER.NOTHING","params":{"nonsense":1}}`:                               "UNKNOWN_COMMAND",
			`{"command":"__proto__"}`:                                                          "UNKNOWN_COMMAND",
		} {
			answer := here.Post([]byte(body), header)
			if answer.Code() != want {
				t.Errorf("%s: %d %.300s, want %s", body, answer.Status, answer.Body, want)
			}
			if name := body[len(`{"command":"`):]; answer.Envelope.Command != name[:strings.Index(name, `"`)] {
				t.Errorf("%s: the answer names the command %q", body, answer.Envelope.Command)
			}
		}
		missing := here.Do(instance.Call{Command: "AUTH.LOGIN", Params: P{"email": ada.Email}}).Fails("VALIDATION_ERROR")
		if fields := missing.Envelope.Error.Fields; len(fields) != 1 || fields[0].Path != "/password" {
			t.Errorf("fields of a login without a password = %v, want it by its JSON Pointer", fields)
		}
	})
}

func TestCodesHaveTheirStatus(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		ada := here.SignUp()
		for _, one := range []struct {
			code   string
			status int
			call   instance.Call
		}{
			{"OK", 200, instance.Call{Command: "USER.ME", Token: ada.Access}},
			{"VALIDATION_ERROR", 400, instance.Signup(ada)},
			{"AUTH_ERROR", 401, instance.Call{Command: "USER.ME"}},
			{"AUTH_ERROR", 401, instance.Login(instance.Person{Email: ada.Email, Password: "another phrase"})},
			{"AUTH_ERROR", 401, instance.Call{Command: "AUTH.REFRESH", Params: P{"refresh_token": "rt_" + strings.Repeat("A", 100)}}},
			{"TOKEN_INVALID", 401, instance.Call{Command: "USER.ME", Token: ada.Access + "A"}},
			{"PERMISSION_DENIED", 403, instance.Call{Command: "JWT_KEY.LIST", Token: ada.Access}},
			// Authorization comes before anything of the schema is shown.
			{"PERMISSION_DENIED", 403, instance.Call{Command: "JWT_KEY.REVOKE", Token: ada.Access, Params: P{"nonsense": 1}}},
			{"NOT_FOUND", 404, instance.Call{Command: "SESSION.REVOKE", Token: ada.Access, Params: P{"session_id": ada.Session[:len(ada.Session)-4] + "0000"}}},
			{"UNKNOWN_COMMAND", 404, instance.Call{Command: "USER.nothing", Token: ada.Access}},
		} {
			if answer := here.Do(one.call); answer.Code() != one.code || answer.Status != one.status {
				t.Errorf("%s: %d %s, want %d %s", one.call.Command, answer.Status, answer.Body, one.status, one.code)
			}
		}
	})
}

func TestTransport(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		body := []byte(`{"command":"AUTH.WHOAMI"}`)
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			answer := here.Send(method, nil, http.Header{})
			if answer.Status != http.StatusMethodNotAllowed || answer.Code() != "VALIDATION_ERROR" || answer.Header.Get("Allow") != "POST" {
				t.Errorf("%s: %d %s Allow %q, want 405", method, answer.Status, answer.Body, answer.Header.Get("Allow"))
			}
		}
		for _, kind := range []string{
			"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp",
			"application/json; charset=utf-16", "application/merge-patch+json", "nonsense", "application/json, text/plain",
		} {
			header := instance.JSONHeader()
			header.Set("Content-Type", kind)
			if answer := here.Post(body, header); answer.Status != http.StatusUnsupportedMediaType {
				t.Errorf("Content-Type %q: %d %s, want 415", kind, answer.Status, answer.Body)
			}
		}
		for _, kind := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"} {
			header := instance.JSONHeader()
			header.Set("Content-Type", kind)
			here.Post(body, header).Fails("AUTH_ERROR")
		}
		compressed := instance.JSONHeader()
		compressed.Set("Content-Encoding", "gzip")
		if answer := here.Post(body, compressed); answer.Status != http.StatusUnsupportedMediaType {
			t.Errorf("a compressed body: %d %s, want 415", answer.Status, answer.Body)
		}
		large := append([]byte(`{"command":"AUTH.WHOAMI","params":{"a":"`), bytes.Repeat([]byte("x"), 1<<20)...)
		// A client may still send a body that was answered, so that each is a copy.
		ending := func(n int) []byte { return append(slices.Clone(large[:n]), `"}}`...) }
		for name, answer := range map[string]*instance.Reply{
			"announced": here.Post(ending(len(large)), instance.JSONHeader()),
			"streamed":  here.Send(http.MethodPost, onlyReader{bytes.NewReader(ending(len(large)))}, instance.JSONHeader()),
		} {
			if answer.Status != http.StatusRequestEntityTooLarge || answer.Code() != "VALIDATION_ERROR" {
				t.Errorf("a megabyte, %s: %v %d %s, want 413", name, answer.Err, answer.Status, answer.Body)
			}
		}
		here.Post(ending(1<<20-3), instance.JSONHeader()).Fails("AUTH_ERROR")
	})
}

// onlyReader hides the length of a body.
type onlyReader struct{ io.Reader }

func TestRequestIDs(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		here := instance.Open(t, on).First()
		body := []byte(`{"command":"AUTH.WHOAMI"}`)
		seen := map[string]bool{}
		for _, sent := range []string{
			"req-1", "A.b_c:d-9", strings.Repeat("x", 128), "0af7651916cd43dd8448eb211c80319c",
		} {
			header := instance.JSONHeader()
			header.Set("X-Request-Id", sent)
			if got := here.Post(body, header).Header.Get("X-Request-Id"); got != sent {
				t.Errorf("X-Request-Id %q comes back as %q", sent, got)
			}
		}
		for _, sent := range []string{
			"", "two words", strings.Repeat("x", 129), "quote\"", "<script>", "ü", "a\tb", "a,b", "a=b;c", "{}",
		} {
			header := instance.JSONHeader()
			header.Set("X-Request-Id", sent)
			got := here.Post(body, header).Header.Get("X-Request-Id")
			if got == sent || len(got) < 16 || seen[got] {
				t.Errorf("X-Request-Id %q is answered with %q, want a new one", sent, got)
			}
			seen[got] = true
		}
		twice := instance.JSONHeader()
		twice["X-Request-Id"] = []string{"one", "two"}
		if got := here.Post(body, twice).Header.Get("X-Request-Id"); got == "one" || got == "two" {
			t.Errorf("of two X-Request-Id one was taken: %q", got)
		}
	})
}
