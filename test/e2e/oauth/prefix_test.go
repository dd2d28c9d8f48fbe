package oauth_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// prefix is the path beneath which nginx serves an instance; all around is another site.
const prefix = "/auth"

const nginxConfig = `
daemon off;
master_process off;
pid %[1]s/nginx.pid;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	server {
		listen 127.0.0.1:%[2]d;
		proxy_set_header Host $http_host;
		proxy_set_header X-Forwarded-For $remote_addr;
		location /auth/ { proxy_pass http://127.0.0.1:%[3]d%[4]s; }
		location ~ ^/\.well-known/[a-z-]+/auth(/|$) { proxy_pass http://127.0.0.1:%[3]d; }
		location / { return 200 "the site around it"; }
	}
}
`

// nginx starts nginx on a port, in front of an instance on another one. to is what it puts in
// place of the prefix; "" passes it on.
func nginx(t *testing.T, at *instance.Replica, port, behind int, to string) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx"
	}
	directory := t.TempDir()
	config := filepath.Join(directory, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, directory, port, behind, to), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), program, "-p", directory, "-e", "stderr", "-c", config)
	var log instance.Output
	run.Stdout, run.Stderr = &log, &log
	if err := run.Start(); err != nil {
		t.Fatalf("start nginx, which `make setup` installs: %v", err)
	}
	t.Cleanup(func() {
		_ = run.Process.Signal(os.Interrupt)
		_ = run.Wait()
		if t.Failed() {
			t.Logf("log of nginx:\n%s", instance.Tail(log.String()))
		}
	})
	ready := func() bool {
		response, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/", port))
		if err != nil {
			return false
		}
		return response.Body.Close() == nil
	}
	if !at.Await(ready) {
		t.Fatalf("nginx does not become ready:\n%s", instance.Tail(log.String()))
	}
}

// local matches the addresses in attributes of a page that begin at the root.
var local = regexp.MustCompile(` ([a-z-]+)="(/[^"]*)"`)

// stays fails the test unless everything that a page refers to is beneath the prefix, and what it
// loads is there.
func (s *stranger) stays() *stranger {
	s.t.Helper()
	for _, found := range local.FindAllStringSubmatch(s.body, -1) {
		attribute, address := found[1], found[2]
		if attribute == "value" { // a form comes back with it, behind the prefix
			continue
		}
		if !strings.HasPrefix(address, prefix+"/") {
			s.t.Errorf("%s refers to %s by %s", s.at, address, attribute)
		}
		if !strings.HasPrefix(address, prefix+"/assets/") {
			continue
		}
		response, err := s.client.Get(s.at.Scheme + "://" + s.at.Host + address)
		if err != nil {
			s.t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != http.StatusOK {
			s.t.Errorf("%s loads %s, which answers %d", s.at, address, response.StatusCode)
		}
	}
	return s
}

// TestBehindAPrefix serves an instance beneath a path of another site, through nginx, which passes
// the path on or takes it off: pages, metadata, and an application that people sign in to.
func TestBehindAPrefix(t *testing.T) {
	for name, to := range map[string]string{"passed on": "", "taken off": "/"} {
		t.Run(name, func(t *testing.T) {
			instance.OnEach(t, []instance.Store{instance.SQLite()}, func(t *testing.T, on instance.Store) {
				front, port := instance.FreePort(t), instance.FreePort(t)
				issuer := fmt.Sprintf("http://127.0.0.1:%d%s", front, prefix)
				s := instance.Plan(t, on.Database(t), "PORT="+strconv.Itoa(port), "SERVICE_HOST="+issuer, "TRUSTED_PROXIES=127.0.0.1/32")
				s.Start(1)
				at := s.First()
				nginx(t, at, front, port, to)
				walkBehind(t, at, issuer)
			})
		})
	}
}

func walkBehind(t *testing.T, at *instance.Replica, issuer string) {
	t.Helper()
	directory := t.TempDir()
	const page = "<h1>The handbook</h1>"
	if err := os.WriteFile(filepath.Join(directory, "index.html"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &stranger{t: t, client: &http.Client{Jar: jar, Timeout: instance.StartWithin}}
	root := strings.TrimSuffix(issuer, prefix)
	for _, metadata := range []string{
		issuer + "/.well-known/openid-configuration", issuer + "/.well-known/oauth-authorization-server",
		root + "/.well-known/oauth-authorization-server" + prefix, root + "/.well-known/openid-configuration" + prefix,
	} {
		browser.open(metadata).sees(metadata, `"issuer":"`+issuer+`"`)
		browser.sees(metadata, `"token_endpoint":"`+issuer+`/oauth/token"`)
	}
	resource := root + "/.well-known/oauth-protected-resource" + prefix + "/api/v1/execute"
	browser.open(resource).sees(resource, `"resource":"`+issuer+`/api/v1/execute"`)

	browser.open(issuer+"/account").sees(issuer+"/login", "Sign in")
	browser.stays().send(prefix+"/login", map[string]string{"email": instance.AdminEmail, "password": instance.AdminPassword}).sees(issuer+"/account", instance.AdminEmail)
	browser.stays().open(issuer+"/account/security").sees(issuer+"/account/security", "Passkeys")
	browser.stays().open(issuer+"/docs").sees(issuer+"/docs", "<h1")
	browser.stays()

	address := guarded(t, at, issuer, at.Admin(), directory)
	browser.open(address+"/").sees(issuer+"/oauth/authorize", "Handbook")
	browser.stays().send(prefix+"/account/consent", map[string]string{"approve": "true"}).sees(address+"/", page)
	leave := issuer + "/oauth/end_session?" + url.Values{"client_id": {"handbook"}, "post_logout_redirect_uri": {address + "/"}}.Encode()
	browser.open(leave).sees(issuer+"/oauth/end_session", "Handbook")
	browser.stays().send(prefix+"/logout", nil).sees(address+"/", page)
	browser.open(issuer+"/account").sees(issuer+"/login", "Sign in")
}
