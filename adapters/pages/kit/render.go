package kit

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/docs"
)

// Page is the data of every template.
type Page struct {
	Title string
	Look  Look
	// Asker is the application that the person signs in for; nil for none. Onward reports
	// whether the page says so, unless its own text does.
	Asker  *Asker
	Onward bool
	// CSRF is the token of each form, and Pending the sign-in that it continues.
	CSRF, Pending string
	Form          Form
	// Done and Wrong are messages of the previous page.
	Done, Wrong string
	// Section is the navigation section of the account or the development pages; empty
	// outside of them.
	Section string
	// Dev reports whether this is a development page.
	Dev bool
	// Holder is the signed-in person, on account pages.
	Holder *holder
	// Switcher are the workspaces to switch to, newest first.
	Switcher []client.TeamOrganization
	// Here is the path of the page. Return is the path to continue at after switching
	// the workspace, in which the current page may not exist.
	Here, Return string
	// Data is specific to the page.
	Data any
	Now  time.Time
}

// lazyTemplate returns the template of a page, parsed at the first call.
type lazyTemplate func() (*template.Template, error)

// pages returns the templates of all pages. Each is parsed on first use, together with
// the frame, to save memory in instances that do not show it.
func (s *Site) pages() (map[string]lazyTemplate, error) {
	files, err := fs.Glob(s.Files, "templates/pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("list the pages: %w", err)
	}
	all := map[string]lazyTemplate{}
	for _, file := range files {
		all[strings.TrimSuffix(path.Base(file), ".html")] = sync.OnceValues(func() (*template.Template, error) {
			return template.New("frame").Funcs(s.functions()).
				ParseFS(s.Files, "templates/frame.html", "templates/parts.html", file)
		})
	}
	return all, nil
}

func (s *Site) functions() template.FuncMap {
	all := template.FuncMap{
		"asset": func(name string) (string, error) {
			if address, known := s.assets.names[name]; known {
				return address, nil
			}
			return "", fmt.Errorf("there is no asset %s", name)
		},
		"field": field, "hint": hint, "optional": optional, "focus": focus, "value": value, "selecting": selecting,
		"ago": ago, "date": Date, "plural": Plural, "join": strings.Join,
		"moment": moment, "place": place, "picture": Picture, "otpauth": Otpauth,
		"file": file, "draw": draw, "spaced": func(name any) string { return Spaced(fmt.Sprint(name)) },
		"markdown": docs.Markdown, "copy": func(name, text string) Kept { return Kept{Name: name, Text: text} },
		"stamp": func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	}
	maps.Copy(all, s.Functions)
	return all
}

// Show responds with a page, and clears the messages of the previous one.
func (v *Visit) Show(name, title string, data any) error {
	shown := Page{
		Title: title, Look: v.Look(), Form: v.Form, Done: v.State.Done, Wrong: v.State.Wrong,
		Section: v.section(), Data: data, Now: v.Site.Clock.Now(), Here: v.Request.URL.Path,
	}
	if v.DevSection != "" {
		shown.Section, shown.Dev = v.DevSection, true
	}
	v.State.Done, v.State.Wrong = "", ""
	if shown.Section != "" {
		shown.Holder = v.holder()
		shown.Switcher, shown.Return = v.switcher(shown)
	}
	if v.Pending.App.Name != "" {
		shown.Asker, shown.Onward = &v.Pending.App, carries(v.Request.URL.Path) && v.Request.URL.Path != ConfirmPath
	}
	shown.CSRF = v.formToken()
	var err error
	if shown.Pending, err = v.SealedPending(); err != nil {
		return err
	}
	page, known := v.Site.templates[name]
	if !known {
		return fmt.Errorf("there is no page %s", name)
	}
	read, err := page()
	if err != nil {
		return fmt.Errorf("read the page %s: %w", name, err)
	}
	var body bytes.Buffer
	if err := read.ExecuteTemplate(&body, "frame", shown); err != nil {
		return fmt.Errorf("write the page %s: %w", name, err)
	}
	if err := v.Save(); err != nil {
		return err
	}
	v.SetHeaders()
	header := v.Writer.Header()
	header.Set("Content-Security-Policy", contentPolicy(shown.Look.Logo.Origin(), v.Pending.Client, v.Frames))
	for name, value := range v.Headers {
		header.Set(name, value)
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	if v.Status == 0 {
		v.Status = http.StatusOK
	}
	v.Writer.WriteHeader(v.Status)
	// The client may have disconnected; there is nobody to report the error to.
	_, _ = v.Writer.Write(body.Bytes())
	return nil
}

// section returns the account section of the path; empty for other paths, for the page
// to confirm that it is them, and for people who are not signed in.
func (v *Visit) section() string {
	below, inAccount := strings.CutPrefix(v.Request.URL.Path, "/account")
	if !inAccount || v.Tokens.Access == "" || v.Request.URL.Path == ConfirmPath {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
	if name == "" {
		return "profile"
	}
	return name
}

// answer responds with JSON to the script of a page.
func (v *Visit) answer(status int, body []byte) error {
	if err := v.Save(); err != nil {
		return err
	}
	v.SetHeaders()
	v.Writer.Header().Set("Content-Type", "application/json")
	v.Writer.WriteHeader(status)
	_, _ = v.Writer.Write(body)
	return nil
}

// Door returns the address of a page of the pending sign-in.
func (p Page) Door(path string) string { return WithPending(path, p.Pending) }

// Offers reports whether the navigation has a section for administrators: the one that is
// shown, or one that the person administers.
func (p Page) Offers(section string) bool {
	switch {
	case p.Section == section:
		return true
	case p.Holder == nil || !p.Holder.Admin:
		return false
	case section == "flows":
		return p.Holder.Flows
	case section == "webhooks":
		return p.Holder.Webhooks
	}
	return true
}

// instant is a time, and the time of the page to show it relative to.
type instant struct{ At, Now time.Time }

func moment(p Page, at time.Time) instant { return instant{at, p.Now} }

// Entry is a link of the navigation.
type Entry struct {
	Path, Label string
	Here        bool
}

func place(p Page, section, path, label string) Entry {
	return Entry{path, label, p.Section == section}
}

// Picture returns a base64 PNG as a data: URL, or "" for other content.
func Picture(address string) template.URL {
	const png = "data:image/png;base64,"
	coded, is := strings.CutPrefix(address, png)
	if !is {
		coded = address
	}
	if _, err := base64.StdEncoding.DecodeString(coded); err != nil {
		return ""
	}
	return template.URL(png + coded) //nolint:gosec // base64 holds no markup
}

// Otpauth returns an otpauth: address as a link, or "" for other addresses.
func Otpauth(address string) template.URL {
	if !strings.HasPrefix(address, "otpauth://totp/") {
		return ""
	}
	return template.URL(address) //nolint:gosec // no browser takes this scheme for a script
}

// Spaced returns the name of a resource for display.
func Spaced(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		switch word {
		case "api", "ip", "scim", "sso":
			words[i] = strings.ToUpper(word)
		case "oauth":
			words[i] = "OAuth"
		case "emails":
			words[i] = "emails"
		}
	}
	return strings.Join(words, " ")
}
