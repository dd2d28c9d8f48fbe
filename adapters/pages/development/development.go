// Package development is the room of the pages of development instances: a start page, the
// mails sent, a command console, and the payment sandbox.
package development

import (
	"cmp"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/adapters/payment/sandbox"
	"gatehouse.internal/domain/fault"
)

// visit is a request of a browser for a page of this room.
type visit struct {
	*kit.Visit

	dev *Dev
}

// Dev configures the development pages: a start page, the mails sent, a command
// console, and the payment sandbox.
type Dev struct {
	Version string
	Mailbox interface{ Letters() []mail.RecentMail }
	// Payments is the payment sandbox.
	Payments *sandbox.Sandbox
	// Email and Password are the credentials of the superadmin created at startup.
	Email, Password string
}

// devPath is the prefix of the development pages.
const devPath = "/dev"

// Paths returns the path prefixes that the pages serve in development, in addition
// to Paths.
func Paths() []string { return []string{devPath} }

// Routes returns the development pages.
func Routes(dev *Dev) []kit.Route {
	on := func(pattern string, who kit.Audience, page func(*visit) error) kit.Route {
		return kit.Route{Pattern: pattern, Who: who, Page: func(v *kit.Visit) error { return ownOnly(page)(&visit{v, dev}) }}
	}
	return []kit.Route{
		on("GET /{$}", kit.Everybody, (*visit).startPage),
		on("GET /dev/{$}", kit.Everybody, (*visit).startPage),
		on("POST /dev/superadmin", kit.Everybody, (*visit).becomeSuperadmin),
		on("GET /dev/mail", kit.Everybody, (*visit).mailbox),
		on("GET /dev/mail/{id}", kit.Everybody, (*visit).letter),
		on("GET /dev/mail/{id}/html", kit.Everybody, (*visit).letterBody),
		on("GET /dev/payments/{id}", kit.Everybody, (*visit).sale),
		on("GET /dev/payments/portal/{id}", kit.Everybody, (*visit).portal),
		on("GET /dev/payments/invoices/{id}", kit.Everybody, (*visit).saleInvoice),
		on("POST /dev/payments/{id}/{act}", kit.Everybody, (*visit).actOnSale),
		on("GET /dev/commands", kit.Everybody, (*visit).commands),
		on("GET /dev/commands/{name}", kit.Everybody, (*visit).command),
		on("POST /dev/commands/{name}", kit.Everybody, (*visit).run),
	}
}

// OwnHost passes on requests whose Host is host or a loopback name, and answers others
// with 404. It prevents DNS rebinding, by which pages of other sites would read those
// of a development instance.
func OwnHost(host string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownHost(host, r) {
			http.Error(w, "These pages are only available at "+host, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func ownHost(host string, r *http.Request) bool {
	own, err := url.Parse(host)
	return err == nil && strings.EqualFold(hostname(r), own.Hostname()) || loopbackName(r)
}

// hostname returns the host of a request without the port.
func hostname(r *http.Request) string {
	if bare, _, err := net.SplitHostPort(r.Host); err == nil {
		return bare
	}
	return strings.Trim(r.Host, "[]")
}

// loopbackName reports whether the host of a request is a loopback name or address.
func loopbackName(r *http.Request) bool {
	name := hostname(r)
	address, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && address.IsLoopback()
}

// ownOnly guards a development page like OwnHost; others see the page for unknown
// paths.
func ownOnly(page func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		switch {
		case ownHost(v.Site.Host, v.Request):
			return page(v)
		case v.Request.URL.Path == "/":
			return v.Root()
		default:
			return kit.ErrNoPage
		}
	}
}

// startPageData is the data of the start page.
type startPageData struct {
	Version, Host string
	// Email and Password are the credentials of the superadmin. The password is shown
	// to browsers on this machine only, as the instance may be reachable from others.
	Email, Password string
	Letters         []mail.RecentMail
	// People are the newest accounts, if a superadmin is signed in.
	People   []client.User
	Commands int
}

// present shows a development page in its section of the navigation.
func (v *visit) present(name, title string, data any) error {
	v.DevSection = sectionOf(name)
	return v.Show(name, title, data)
}

// sectionOf returns the navigation section of a page, or "".
func sectionOf(page string) string {
	switch page {
	case "desk":
		return "start"
	case "mailbox", "letter":
		return "mail"
	case "sale", "portal":
		return "payments"
	case "commands", "command":
		return "commands"
	}
	return ""
}

// startPage shows the start page of a development instance.
func (v *visit) startPage() error {
	dev := v.dev
	shown := startPageData{
		Version: dev.Version, Host: v.Site.Host, Email: dev.Email,
		Letters: dev.Mailbox.Letters(), Commands: len(v.Site.Commands.Catalog()),
	}
	const latest = 3
	shown.Letters = shown.Letters[:min(latest, len(shown.Letters))]
	if v.onThisMachine() {
		shown.Password = dev.Password
	}
	if v.Tokens.Access != "" {
		const newest = 5
		all, err := v.Me().UserList(v.Context(), client.UserListParams{Limit: new(newest)})
		if err == nil {
			shown.People = all.Items
		} else if v.Ended(err) {
			v.Tokens = kit.Tokens{}
		}
	}
	return v.present("desk", "Your development instance", shown)
}

// onThisMachine reports whether the browser runs on the machine of the instance,
// without a proxy in between.
func (v *visit) onThisMachine() bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if v.Request.Header.Get(name) != "" {
			return false
		}
	}
	return loopbackName(v.Request) && v.Site.Origin(v.Writer, v.Request).IP.IsLoopback()
}

// becomeSuperadmin signs in as the superadmin created at startup.
func (v *visit) becomeSuperadmin() error {
	if !v.onThisMachine() {
		return kit.ErrForeign
	}
	o, err := v.Anyone().AuthLogin(v.Context(), client.AuthLoginParams{Email: v.dev.Email, Password: v.dev.Password})
	if kit.RefusedAs(err, fault.Auth) {
		return v.Wrong("The superadmin's password was changed. Sign in with the new password.", "/login")
	}
	if err != nil {
		return v.RedirectFailure(err, "/")
	}
	v.Pending.ReturnTo = cmp.Or(kit.Local(v.Form.Text("return_to")), "/")
	return v.Entered(o)
}

// Functions are those of its templates.
func Functions() template.FuncMap {
	return template.FuncMap{"pretty": Pretty, "milliseconds": milliseconds, "lettersOf": lettersOf}
}
