package pages_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

const (
	// mostMemory is how many bytes the service may allocate for one answer; a password hash at the
	// costs of this test takes 64 times as many.
	mostMemory = 1 << 20
	// mostBody is how many bytes a page may have.
	mostBody = 16 << 10
	// answers is how many answers the memory is divided by.
	answers = 10
)

// allocated is the metric of the bytes that the service has allocated since its start.
var allocated = regexp.MustCompile(`(?m)^go_memstats_alloc_bytes_total (\S+)$`)

// Pages are cheap, above all without a password hash, whoever asks.
func TestPagesDoLittle(t *testing.T) {
	instance.OnBoth(t, pagesDoLittle)
}

func pagesDoLittle(t *testing.T, on instance.Store) {
	const token = "9f8Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3"
	at := browser.House(t, on, "ARGON2_MEMORY_KIB=65536", "ARGON2_TIME=2", "METRICS_TOKEN="+token)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at.Client.Jar = jar
	fetch := func(path string) string {
		t.Helper()
		response, err := at.Client.Get(at.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s answered %d (%v)", path, response.StatusCode, err)
		}
		return string(body)
	}
	memory := func() float64 {
		t.Helper()
		page, metrics := at.Fetch("GET", "/metrics", "Authorization=Bearer "+token)
		found := allocated.FindStringSubmatch(metrics)
		if found == nil {
			t.Fatalf("no allocated bytes in the metrics: %d", page.Status)
		}
		bytes, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	cheap := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			size := len(fetch(path)) // the first answer fills caches
			before := memory()
			for range answers {
				fetch(path)
			}
			each := int(memory()-before) / answers
			t.Logf("%s: %d bytes allocated, %d sent", path, each, size)
			if each > mostMemory || size > mostBody {
				t.Errorf("%s: %d bytes allocated, %d sent, want %d and %d at most", path, each, size, mostMemory, mostBody)
			}
		}
	}
	// Who is logged in sees other pages than who is not.
	cheap("/login", "/signup", "/recover")
	form := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(fetch("/signup"))[1]
	p, before := instance.Newcomer(), memory()
	response, err := at.Client.PostForm(at.URL+"/signup", url.Values{"csrf": {form}, "display_name": {"Ada"}, "email": {p.Email}, "password": {p.Password}})
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if hashed := memory() - before; hashed < 64<<20 {
		t.Errorf("%v bytes allocated with a password hash of 64 MiB: the measure is blind", hashed)
	}
	cheap("/account", "/account/security", "/account/sessions", "/account/connections", "/account/keys", "/account/notices")
}
