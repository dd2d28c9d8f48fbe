package pages

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatehouse.internal/adapters/pages/diagram"
	"gatehouse.internal/adapters/pages/docs"
)

// page is the data of every template.
type page struct {
	Title string
	Look  look
	// Asker is the application that the person signs in for; nil for none. Onward reports
	// whether the page says so, unless its own text does.
	Asker  *asker
	Onward bool
	// CSRF is the token of each form, and Pending the sign-in that it continues.
	CSRF, Pending string
	Form          form
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
	Switcher []organization
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
	files, err := fs.Glob(embedded, "templates/pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("list the pages: %w", err)
	}
	all := map[string]lazyTemplate{}
	for _, file := range files {
		all[strings.TrimSuffix(path.Base(file), ".html")] = sync.OnceValues(func() (*template.Template, error) {
			return template.New("frame").Funcs(s.functions()).
				ParseFS(embedded, "templates/frame.html", "templates/parts.html", file)
		})
	}
	return all, nil
}

func (s *Site) functions() template.FuncMap {
	return template.FuncMap{
		"asset": func(name string) (string, error) {
			if address, known := s.assets.names[name]; known {
				return address, nil
			}
			return "", fmt.Errorf("there is no asset %s", name)
		},
		"field": field, "hint": hint, "optional": optional, "focus": focus, "value": value, "selecting": selecting,
		"ago": ago, "date": date, "plural": plural, "join": strings.Join,
		"moment": moment, "place": place, "picture": picture, "otpauth": otpauth,
		"file": file, "pretty": pretty, "draw": draw, "milliseconds": milliseconds, "lettersOf": lettersOf,
		"markdown": docs.Markdown, "copy": func(name, text string) kept { return kept{Name: name, Text: text} }, "strengthPath": func() string { return strengthPath },
		"spaced": spaced, "drawing": func(name string, d diagram.Diagram) drawing { return drawing{name, d} },
		"runsOf": func(p page, runs []pastRun, named bool) shownRuns { return shownRuns{p, runs, named} },
		"stamp":  func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	}
}

// show responds with a page, and clears the messages of the previous one.
func (v *visit) show(name, title string, data any) error {
	shown := page{
		Title: title, Look: v.look(), Form: v.form, Done: v.state.Done, Wrong: v.state.Wrong,
		Section: v.section(), Data: data, Now: v.site.Clock.Now(), Here: v.r.URL.Path,
	}
	if section := v.devSection(name); section != "" {
		shown.Section, shown.Dev = section, true
	}
	v.state.Done, v.state.Wrong = "", ""
	if shown.Section != "" {
		shown.Holder = v.holder()
		shown.Switcher, shown.Return = v.switcher(shown)
	}
	if v.pending.App.Name != "" {
		shown.Asker, shown.Onward = &v.pending.App, carries(v.r.URL.Path) && v.r.URL.Path != confirmPath
	}
	shown.CSRF = v.formToken()
	var err error
	if shown.Pending, err = v.sealedPending(); err != nil {
		return err
	}
	page, known := v.site.templates[name]
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
	if err := v.save(); err != nil {
		return err
	}
	v.headers()
	header := v.w.Header()
	header.Set("Content-Security-Policy", contentPolicy(shown.Look.Logo.Origin(), v.pending.Client, v.frames))
	if v.paddled {
		header.Set("Content-Security-Policy", paddlePolicy(shown.Look.Logo.Origin(), v.site.Paddle.Mode))
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	if v.status == 0 {
		v.status = http.StatusOK
	}
	v.w.WriteHeader(v.status)
	// The client may have disconnected; there is nobody to report the error to.
	_, _ = v.w.Write(body.Bytes())
	return nil
}

// section returns the account section of the path; empty for other paths, for the page
// to confirm that it is them, and for people who are not signed in.
func (v *visit) section() string {
	below, inAccount := strings.CutPrefix(v.r.URL.Path, "/account")
	if !inAccount || v.tokens.Access == "" || v.r.URL.Path == confirmPath {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
	if name == "" {
		return "profile"
	}
	return name
}

// answer responds with JSON to the script of a page.
func (v *visit) answer(status int, body []byte) error {
	if err := v.save(); err != nil {
		return err
	}
	v.headers()
	v.w.Header().Set("Content-Type", "application/json")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body)
	return nil
}

// Door returns the address of a page of the pending sign-in.
func (p page) Door(path string) string { return withPending(path, p.Pending) }

// Offers reports whether the navigation has a section for administrators: the one that is
// shown, or one that the person administers.
func (p page) Offers(section string) bool {
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

func moment(p page, at time.Time) instant { return instant{at, p.Now} }

// entry is a link of the navigation.
type entry struct {
	Path, Label string
	Here        bool
}

func place(p page, section, path, label string) entry {
	return entry{path, label, p.Section == section}
}

// picture returns a base64 PNG as a data: URL, or "" for other content.
func picture(address string) template.URL {
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

// otpauth returns an otpauth: address as a link, or "" for other addresses.
func otpauth(address string) template.URL {
	if !strings.HasPrefix(address, "otpauth://totp/") {
		return ""
	}
	return template.URL(address) //nolint:gosec // no browser takes this scheme for a script
}

// spaced returns the name of a resource for display.
func spaced(name string) string {
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
