package pages

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	sent "gatehouse.internal/adapters/mail"
	"gatehouse.internal/adapters/payment/sandbox"
	"gatehouse.internal/domain/fault"
)

// Dev is what a development instance shows besides: a start page, the mails that it
// sent, and a browser for commands.
type Dev struct {
	Version string
	Mailbox interface{ Letters() []sent.Kept }
	// Payments is the sandbox.
	Payments *sandbox.Sandbox
	// Email and Password are those of the superadmin that was made at the start.
	Email, Password string
}

// devPath is what all pages for development are below.
const devPath = "/dev"

// DevPaths returns those that the pages answer in development, beside Paths.
func DevPaths() []string { return []string{devPath} }

// devRoutes returns the pages of a development instance.
func devRoutes() []route {
	return []route{
		{"GET /{$}", everybody, (*visit).desk},
		{"GET /dev/{$}", everybody, (*visit).desk},
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

// OwnHost lets a handler answer those who call an instance by its own address or by one
// of the loopback interface. Pages of other sites could lead a browser to this machine
// under names of theirs, and read what they like (DNS rebinding).
func OwnHost(host string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownHost(host, r) {
			http.Error(w, "This is for development: ask "+host, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func ownHost(host string, r *http.Request) bool {
	own, err := url.Parse(host)
	return err == nil && strings.EqualFold(hostname(r), own.Hostname()) || loopbackName(r)
}

// hostname returns the name by which a browser calls the instance, without the port.
func hostname(r *http.Request) string {
	if bare, _, err := net.SplitHostPort(r.Host); err == nil {
		return bare
	}
	return strings.Trim(r.Host, "[]")
}

// loopbackName reports whether a browser calls the machine that it runs on.
func loopbackName(r *http.Request) bool {
	name := hostname(r)
	address, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && address.IsLoopback()
}

// ownOnly shows a page for development to those who call the instance by its own
// address. Others find what they would where there is no development.
func ownOnly(page func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		switch {
		case ownHost(v.site.Host, v.r):
			return page(v)
		case v.r.URL.Path == "/":
			return v.front()
		default:
			return errNoPage
		}
	}
}

// deskData is what the start page shows.
type deskData struct {
	Version, Host string
	// Email and Password are those of the superadmin. The password is for this machine
	// alone: others may reach the instance, and its start has told it already.
	Email, Password string
	Letters         []sent.Kept
	// People are the newest accounts, where a superadmin is signed in.
	People   []profile
	Commands int
}

// devSection returns the part of the pages for development that a page belongs to; "" for
// other pages.
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

// desk is the start page of a development instance.
func (v *visit) desk() error {
	dev := v.site.Dev
	shown := deskData{
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

// onThisMachine reports whether the browser runs where the instance does, with nothing in
// between: a proxy on this machine speaks for others.
func (v *visit) onThisMachine() bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if v.r.Header.Get(name) != "" {
			return false
		}
	}
	return loopbackName(v.r) && v.site.Origin(v.w, v.r).IP.IsLoopback()
}

// becomeSuperadmin signs in as the superadmin that was made at the start.
func (v *visit) becomeSuperadmin() error {
	if !v.onThisMachine() {
		return errForeign
	}
	var o outcome
	err := v.ask("AUTH.LOGIN", params{"email": v.site.Dev.Email, "password": v.site.Dev.Password}, &o)
	if refused, ok := errors.AsType[*fault.Error](err); ok && refused.Code == fault.Auth {
		return v.wrong("The superadmin has another password by now. Sign in with that one.", "/login")
	}
	if err != nil {
		return v.told(err, "/")
	}
	v.state.ReturnTo = cmp.Or(local(v.form.text("return_to")), "/")
	return v.entered(o)
}
