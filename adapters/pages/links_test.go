package pages_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"gatehouse.internal/test/harness"
)

// walker is a browser that follows every link that it finds.
type walker struct {
	*browser

	h *harness.Service
	// but are paths that are left to others.
	but []string
	// pages are the pages that were reached, by address, and firsts the pages on which links
	// to them were found first.
	pages  map[string]shownPage
	firsts map[string]string
	queue  []string
	// anchors are links to places on pages: the page that has the link and its address.
	anchors [][2]string
}

// shownPage is a page that a link leads to, perhaps by redirects.
type shownPage struct {
	address string
	ids     map[string]bool
}

// pathOf returns an address without what is unique to a visit, and without the place on the
// page.
func pathOf(to *url.URL) string {
	query := to.Query()
	query.Del("pending")
	if query.Encode() == "" {
		return to.Path
	}
	return to.Path + "?" + query.Encode()
}

// walk follows every link from the addresses on. It fails the test for what leads nowhere.
func (w *walker) walk(from ...string) *walker {
	w.t.Helper()
	const plenty = 3000
	w.pages, w.firsts = map[string]shownPage{}, map[string]string{}
	for _, address := range from {
		w.note("the start", &url.URL{}, address)
	}
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.visit(next)
		w.h.Clock.Advance(time.Second / 2) // Nobody is so quick as to meet the limits.
		if len(w.pages) > plenty {
			w.t.Fatalf("more than %d pages, at last %s", plenty, next)
		}
	}
	for _, link := range w.anchors {
		to, _ := url.Parse(link[1])
		if found := w.pages[pathOf(to)]; !found.ids[to.Fragment] {
			w.t.Errorf("%s leads to %s, where there is no %s", link[0], link[1], to.Fragment)
		}
	}
	return w
}

// visit opens a page and notes the links on it.
func (w *walker) visit(address string) {
	w.t.Helper()
	at := address
	w.get(at)
	for hops := 0; hops < 5 && w.page.status >= 300 && w.page.status < 400; hops++ {
		to, err := url.Parse(w.page.to)
		if err != nil || w.foreign(to) {
			w.pages[address] = shownPage{}
			return
		}
		at = to.RequestURI()
		w.get(at)
	}
	if w.page.status != http.StatusOK {
		w.t.Errorf("%s leads to %s, which answers %d", w.firsts[address], address, w.page.status)
	}
	reached := shownPage{at, map[string]bool{}}
	w.pages[address] = reached
	if !strings.HasPrefix(w.page.header.Get("Content-Type"), "text/html") {
		return
	}
	base, err := url.Parse(at)
	if err != nil {
		w.t.Fatal(err)
	}
	document, err := html.Parse(strings.NewReader(w.page.body))
	if err != nil {
		w.t.Fatal(err)
	}
	var named []string
	for node := range document.Descendants() {
		for _, attribute := range node.Attr {
			switch attribute.Key {
			case "id":
				reached.ids[attribute.Val] = true
			case "for", "popovertarget", "aria-labelledby", "aria-describedby":
				named = append(named, strings.Fields(attribute.Val)...)
			case "href", "src":
				w.note(address, base, attribute.Val)
			case "action":
				if !slices.ContainsFunc(node.Attr, func(a html.Attribute) bool { return a.Key == "method" && a.Val == "post" }) {
					w.note(address, base, attribute.Val)
				}
			}
		}
	}
	for _, id := range named {
		if !reached.ids[id] {
			w.t.Errorf("%s refers to its part %s, which is not there", address, id)
		}
	}
}

// foreign reports whether an address is that of another service.
func (w *walker) foreign(to *url.URL) bool {
	return to.Host != "" && "http://"+to.Host != harness.Issuer && to.Host != w.host
}

// note queues the page that a link leads to.
func (w *walker) note(on string, base *url.URL, link string) {
	w.t.Helper()
	to, err := base.Parse(link)
	if err != nil || link == "" {
		w.t.Errorf("%s has the link %q: %v", on, link, err)
		return
	}
	if to.Scheme != "" && to.Scheme != "http" && to.Scheme != "https" {
		return
	}
	if w.foreign(to) {
		if to.Scheme != "https" && to.Hostname() != "localhost" {
			w.t.Errorf("%s leads to %s", on, link)
		}
		return
	}
	if slices.ContainsFunc(w.but, func(path string) bool { return strings.HasPrefix(to.Path, path) }) {
		return
	}
	if to.Fragment != "" {
		w.anchors = append(w.anchors, [2]string{on, to.String()})
	}
	if there := pathOf(to); w.firsts[there] == "" {
		w.firsts[there] = on
		w.queue = append(w.queue, there)
	}
}

// reaches fails the test unless the walk came to these addresses.
func (w *walker) reaches(forms ...string) {
	w.t.Helper()
	for _, form := range forms {
		whole := regexp.MustCompile("^" + form + "$")
		found := false
		for address := range w.pages {
			found = found || whole.MatchString(address)
		}
		if !found {
			w.t.Errorf("no link leads to %s", form)
		}
	}
}

// furnish creates one of everything that has a page, for a superadmin.
func furnish(t *testing.T, h *harness.Service, root *harness.Actor) {
	t.Helper()
	add := func(command string, p harness.P) *harness.Reply { return root.Do(command, p).OK() }
	product := add("PRODUCT.CREATE", harness.P{"name": "Table", "slug": "table", "public": true}).String("product.id")
	add("LICENSE.POLICY_CREATE", harness.P{"name": "Standard"})
	add("LICENSE.ISSUE", harness.P{"product_id": product, "max_machines": 1, "seats": 2})
	add("FEATURE.CREATE", harness.P{"key": "export.pdf", "type": "bool", "default": true})
	add("BILLING.PRICE_CREATE", harness.P{"product_id": product, "currency": "EUR", "unit_amount": 1900, "interval": "month"})
	add("BILLING.COUPON_CREATE", harness.P{"code": "SPRING-25", "duration": "once", "percent_off": 25})
	checkout := add("BILLING.CHECKOUT_CREATE", harness.P{"product_id": product, "success_url": "http://localhost:3000/done"})
	h.Act(checkout.String("checkout.url"), "pay")
	add("API_KEY.CREATE", harness.P{"name": "backup", "scopes": []string{"*"}})
	add("ROLE.CREATE", harness.P{"name": "Editor", "permissions": []string{"flows:read"}})
	add("GROUP.CREATE", harness.P{"name": "Writers", "roles": []string{"member"}})
	add("FLOW.CREATE", harness.P{"name": "newcomers", "template": "force-mfa-for-role"})
	add("WEBHOOK.CREATE", harness.P{"url": "http://localhost:8080/hook", "events": []string{"*"}, "scope": "workspace"})
	add("IMPERSONATION.START", harness.P{"user_id": h.SignUp("grace@example.com").UserID, "reason": "Ticket 4711"})
	h.SendWebhooks()
}

// Every link and every reference to a part of a page leads somewhere: for nobody, for people
// who have an account, and for a superadmin who has one of everything.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	references := []string{"/docs", "/dev/commands/"} // They are alike for everybody.
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		h := service(t)
		w := walker{browser: onIt(t, h), h: h}
		w.walk("/", "/docs", "/account", "/device").reaches("/login", "/signup", "/recover", "/docs/commands/USER", "/docs/events", "/dev/commands/USER.ME", "/dev/mail")
	})
	t.Run("person", func(t *testing.T) {
		t.Parallel()
		h := service(t)
		w := walker{browser: onIt(t, h).signUp("ada@example.com"), h: h, but: references}
		w.walk("/").reaches("/account/security", "/account/sessions/support", "/account/notices/mail", "/account/workspaces/new")
	})
	t.Run("superadmin", func(t *testing.T) {
		t.Parallel()
		h := service(t)
		furnish(t, h, h.Superadmin())
		w := walker{browser: onIt(t, h), h: h, but: references}
		w.get("/login").fill("/login", "email="+harness.AdminEmail, "password="+harness.Password).goes("/account")
		w.walk("/").reaches(
			"/account/flows/named/newcomers", "/account/flows/named/newcomers/edit", "/account/flows/named/newcomers/delete", "/account/webhooks/whk_[a-z0-9]+",
			"/account/webhooks/deliveries/dlv_[a-z0-9]+", "/account/keys/key_[a-z0-9]+/revoke", "/account/licenses/lic_[a-z0-9]+", "/account/billing/plans/sub_[a-z0-9]+",
			"/account/workspaces/roles/rol_[a-z0-9]+", "/account/workspaces/groups/grp_[a-z0-9]+",
		)
	})
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// The files that the documents of the repository name are there, and README names every guide.
func TestLinksOfTheRepository(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	guides, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil || len(guides) == 0 {
		t.Fatalf("Glob() = %q, %v", guides, err)
	}
	documents := []string{"README.md", "CONTRIBUTING.md"}
	for _, guide := range guides {
		documents = append(documents, filepath.Join("adapters", "pages", guide))
		if name := filepath.Base(guide); name != "index.md" && !strings.Contains(read("README.md"), "docs/"+name+")") {
			t.Errorf("README.md does not name the guide %s", name)
		}
	}
	for _, path := range documents {
		for _, link := range markdownLink.FindAllStringSubmatch(read(path), -1) {
			to, err := url.Parse(link[1])
			if err != nil || to.Scheme == "http" && to.Hostname() != "localhost" {
				t.Errorf("%s leads to %s: %v", path, link[1], err)
				continue
			}
			if to.IsAbs() || to.Path == "" || strings.HasPrefix(to.Path, "/") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(path), filepath.FromSlash(to.Path))); err != nil {
				t.Errorf("%s leads to %s: %v", path, link[1], err)
			}
		}
	}
}
