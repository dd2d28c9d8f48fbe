package pages

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	sent "gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/payment/sandbox"
	"gatehouse.internal/domain/fault"
)

// Dev configures the development pages: a start page, the mails sent, a command
// console, and the payment sandbox.
type Dev struct {
	Version string
	Mailbox interface{ Letters() []sent.Kept }
	// Payments is the payment sandbox.
	Payments *sandbox.Sandbox
	// Email and Password are the credentials of the superadmin created at startup.
	Email, Password string
}

// devPath is the prefix of the development pages.
const devPath = "/dev"

// DevPaths returns the path prefixes that the pages serve in development, in addition
// to Paths.
func DevPaths() []string { return []string{devPath} }

// devRoutes returns the development pages.
func devRoutes() []route {
	return []route{
		{"GET /{$}", everybody, (*visit).startPage},
		{"GET /dev/{$}", everybody, (*visit).startPage},
		{"POST /dev/superadmin", everybody, (*visit).becomeSuperadmin},
		{"GET /dev/mail", everybody, (*visit).mailbox},
		{"GET /dev/mail/{id}", everybody, (*visit).letter},
		{"GET /dev/mail/{id}/html", everybody, (*visit).letterBody},
		{"GET /dev/payments/{id}", everybody, (*visit).sale},
		{"GET /dev/payments/portal/{id}", everybody, (*visit).portal},
		{"GET /dev/payments/invoices/{id}", everybody, (*visit).saleInvoice},
		{"POST /dev/payments/{id}/{act}", everybody, (*visit).actOnSale},
		{"GET /dev/commands", everybody, (*visit).commands},
		{"GET /dev/commands/{name}", everybody, (*visit).command},
		{"POST /dev/commands/{name}", everybody, (*visit).run},
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
		case ownHost(v.site.Host, v.r):
			return page(v)
		case v.r.URL.Path == "/":
			return v.root()
		default:
			return errNoPage
		}
	}
}

// startPageData is the data of the start page.
type startPageData struct {
	Version, Host string
	// Email and Password are the credentials of the superadmin. The password is shown
	// to browsers on this machine only, as the instance may be reachable from others.
	Email, Password string
	Letters         []sent.Kept
	// People are the newest accounts, if a superadmin is signed in.
	People   []profile
	Commands int
}

// devSection returns the navigation section of a development page, or "".
func (v *visit) devSection(page string) string {
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
	dev := v.site.Dev
	shown := startPageData{
		Version: dev.Version, Host: v.site.Host, Email: dev.Email,
		Letters: dev.Mailbox.Letters(), Commands: len(v.site.Commands.Catalog()),
	}
	const latest = 3
	shown.Letters = shown.Letters[:min(latest, len(shown.Letters))]
	if v.onThisMachine() {
		shown.Password = dev.Password
	}
	if v.tokens.Access != "" {
		var all list[profile]
		const newest = 5
		if err := v.call("USER.LIST", params{"limit": newest}, &all); err == nil {
			shown.People = all.Items
		} else if v.ended(err) {
			v.tokens = tokens{}
		}
	}
	return v.show("desk", "Your development instance", shown)
}

// onThisMachine reports whether the browser runs on the machine of the instance,
// without a proxy in between.
func (v *visit) onThisMachine() bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if v.r.Header.Get(name) != "" {
			return false
		}
	}
	return loopbackName(v.r) && v.site.Origin(v.w, v.r).IP.IsLoopback()
}

// becomeSuperadmin signs in as the superadmin created at startup.
func (v *visit) becomeSuperadmin() error {
	if !v.onThisMachine() {
		return errForeign
	}
	var o outcome
	err := v.ask("AUTH.LOGIN", params{"email": v.site.Dev.Email, "password": v.site.Dev.Password}, &o)
	if refusedAs(err, fault.Auth) {
		return v.wrong("The superadmin's password was changed. Sign in with the new password.", "/login")
	}
	if err != nil {
		return v.redirectFailure(err, "/")
	}
	v.pending.ReturnTo = cmp.Or(local(v.form.text("return_to")), "/")
	return v.entered(o)
}
