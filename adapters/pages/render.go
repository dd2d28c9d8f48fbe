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
)

// page is what every template gets.
type page struct {
	Title string
	Look  look
	// CSRF is what each form carries.
	CSRF string
	Form form
	// Done and Wrong are what the page before did, or did not.
	Done, Wrong string
	// Section is the part of the account, or of the pages for development, that this is;
	// empty: none.
	Section string
	// Dev reports whether it is a page for development.
	Dev bool
	// Holder is who is signed in, on pages of the account.
	Holder *holder
	// Switcher are the workspaces that the person may enter from any page, newest first.
	Switcher []organization
	// Here is the address of the page, without its query. Return is where the person comes
	// back to in another workspace, which does not have all that this one has.
	Here, Return string
	// Data is that of the page.
	Data any
	Now  time.Time
}

// written returns the template of a page once it is asked for.
type written func() (*template.Template, error)

// pages lists them. Each is read, with the frame around it, when it is first
// shown: an instance that shows none keeps none.
func (s *Site) pages() (map[string]written, error) {
	files, err := fs.Glob(embedded, "templates/pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("list the pages: %w", err)
	}
	all := map[string]written{}
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
		"copy": func(name, text string) kept { return kept{Name: name, Text: text} }, "strengthPath": func() string { return strengthPath },
		"spaced": spaced, "drawing": func(name string, d diagram.Diagram) drawing { return drawing{name, d} },
		"runsOf": func(p page, runs []pastRun, named bool) shownRuns { return shownRuns{p, runs, named} },
		"stamp":  func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	}
}

// show answers with a page. What the page before left to say is said once.
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
	shown.CSRF = v.formToken()
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
	header.Set("Content-Security-Policy", contentPolicy(shown.Look.Logo.Origin(), v.state.Client, v.frames))
	if v.paddled {
		header.Set("Content-Security-Policy", paddlePolicy(shown.Look.Logo.Origin(), v.site.Paddle.Mode))
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	if v.status == 0 {
		v.status = http.StatusOK
	}
	v.w.WriteHeader(v.status)
	// A client that left cannot be told anything.
	_, _ = v.w.Write(body.Bytes())
	return nil
}

// section returns the part of the account that a path belongs to. Who is not logged in has
// no account to move about in.
func (v *visit) section() string {
	below, inAccount := strings.CutPrefix(v.r.URL.Path, "/account")
	if !inAccount || v.tokens.Access == "" {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
	if name == "" {
		return "profile"
	}
	return name
}

// answer returns JSON to the script of these pages.
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

// instant is a time with that of the page.
type instant struct{ At, Now time.Time }

func moment(p page, at time.Time) instant { return instant{at, p.Now} }

// entry is one place of the navigation.
type entry struct {
	Path, Label string
	Here        bool
}

func place(p page, section, path, label string) entry {
	return entry{path, label, p.Section == section}
}

// picture lets a PNG stand in the page itself, and nothing else.
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

// otpauth lets the address of an enrolment be a link, and nothing else.
func otpauth(address string) template.URL {
	if !strings.HasPrefix(address, "otpauth://totp/") {
		return ""
	}
	return template.URL(address) //nolint:gosec // no browser takes this scheme for a script
}

// spaced returns the name of a resource as people write it.
func spaced(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		switch word {
		case "api", "ip", "scim", "sso":
			words[i] = strings.ToUpper(word)
		case "oauth":
			words[i] = "OAuth"
		case "emails":
			words[i] = "e-mails"
		}
	}
	return strings.Join(words, " ")
}
