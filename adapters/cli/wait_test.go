package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// telling returns the address of a service with a sequence of responses, and a function
// that returns its requests.
func telling(t *testing.T, answers ...string) (url string, asked func() []string) {
	t.Helper()
	var guard sync.Mutex
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		guard.Lock()
		defer guard.Unlock()
		answer := answers[min(len(bodies), len(answers)-1)]
		bodies = append(bodies, string(body)+r.Header.Get("Idempotency-Key"))
		if strings.HasPrefix(answer, `{"ok":false`) {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		guard.Lock()
		defer guard.Unlock()
		return bodies
	}
}

func envelope(data string) string {
	return `{"ok":true,"command":"X","data":` + data + `,"error":null}`
}

func jobAt(status, rest string) string {
	return envelope(`{"job":{"id":"job_1","status":"` + status + `",` + rest + `}}`)
}

const tooMany = `{"ok":false,"command":"X","data":null,"error":{"code":"RATE_LIMITED","message":"too many calls"}}`

// exec --wait follows a job to its end and prints all rows.
func TestExecWaits(t *testing.T) {
	t.Parallel()
	answers := []string{
		envelope(`{"job_id":"job_1"}`),
		jobAt("running", `"done":1,"total":4,"errors":0,"rows":1`), tooMany,
		jobAt("succeeded", `"org_id":"org_1","done":4,"total":4,"errors":1,"rows":3`),
		envelope(`{"items":[{"id":"usr_1"},"a,\"b\""],"next_cursor":"next","content_type":"text/csv"}`), tooMany,
		envelope(`{"items":[{"id":"usr_3"}],"next_cursor":null,"content_type":"text/csv"}`),
	}
	const rows = "{\"id\":\"usr_1\"}\na,\"b\"\n{\"id\":\"usr_3\"}\n"
	url, asked := telling(t, answers...)
	got := session{}.run(t, "exec", "USER.ME", "--wait", "--idempotency-key", "k", "--url", url)
	if got.code != 0 || got.out != rows {
		t.Errorf("exec --wait = %+v", got)
	}
	if want := "1/4\n4/4\n1 of 4 failed: run gatehouse exec JOB.RESULT_GET job_id=job_1 part=errors to list the errors\n"; got.err != want {
		t.Errorf("progress = %q, want %q", got.err, want)
	}
	want := `{"command":"JOB.RESULT_GET","params":{"job_id":"job_1","org_id":"org_1","cursor":"next"}}`
	if all := asked(); len(all) != len(answers) || all[len(all)-1] != want || !strings.HasSuffix(all[0], "}k") {
		t.Errorf("asked were %q", all)
	}
	url, _ = telling(t, answers...)
	on := session{terminal: true}.run(t, "exec", "USER.ME", "--wait", "--url", url)
	const bar = "\r[#######.......................] 1/4 running\x1b[K\r[##############################] 4/4 succeeded\x1b[K\n"
	if on.code != 0 || on.out != rows || !strings.HasPrefix(on.err, bar) {
		t.Errorf("on a terminal: %+v", on)
	}
}

// A failed job is printed, and so is one without rows; a command that starts no job
// behaves as without --wait.
func TestExecWaitsForNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []string
		code    int
		out     string
	}{
		"failed":   {[]string{envelope(`{"job_id":"job_1"}`), jobAt("failed", `"done":1,"total":4,"rows":1`)}, 1, jobAt("failed", `"done":1,"total":4,"rows":1`)},
		"no rows":  {[]string{envelope(`{"job_id":"job_1"}`), jobAt("succeeded", `"done":4,"total":4`)}, 0, jobAt("succeeded", `"done":4,"total":4`)},
		"no job":   {[]string{fine}, 0, fine},
		"not seen": {[]string{envelope(`{"job_id":"job_1"}`), strings.Replace(tooMany, "RATE_LIMITED", "NOT_FOUND", 1)}, 1, strings.Replace(tooMany, "RATE_LIMITED", "NOT_FOUND", 1)},
	} {
		url, _ := telling(t, c.answers...)
		if got := (session{}).run(t, "exec", "USER.ME", "--wait", "--url", url); got.code != c.code || got.out != c.out+"\n" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
