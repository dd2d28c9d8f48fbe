package cli

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"gatehouse.internal/ports/inbound"
)

// kindWidth is the width of the column of event kinds.
const kindWidth = 32

// logsCommand prints the events of a running service.
type logsCommand struct {
	connection

	Events []string      `help:"Event types to print: names, resource.* or *, separated by commas. Defaults to all."`
	Org    string        `help:"Workspace whose events to print. Defaults to the active one; for a superadmin, to the whole instance."`
	Since  time.Duration `help:"Start with events this old, such as 1h. Defaults to new events only."`
	Follow bool          `default:"true" negatable:"" help:"Keep printing new events until interrupted."`
	JSON   bool          `name:"json" help:"Print each event as one line of JSON, also on a terminal."`
	JQ     string        `name:"jq" placeholder:"EXPR" help:"Print the result of a jq expression for each event, such as select(.data.user_id == \"usr_...\")."`
}

// Run prints events, oldest first.
func (c logsCommand) Run(a *app) error {
	query, err := compileQuery(c.JQ)
	if err != nil {
		return err
	}
	if c.Since < 0 {
		return usagef("--since must not be negative")
	}
	as, err := a.caller(c.connection, inbound.Descriptor{})
	if err != nil {
		return err
	}
	events := feed{
		app: a, request: callRequest{base: as.base, token: as.token}, profile: as.profile,
		query: feedQuery{Org: c.Org, Types: c.Events, From: a.Now().Add(-c.Since).UTC()},
	}
	show := func(one feedEvent) error { return a.printEvent(one, c.JSON, query) }
	if c.Follow {
		events.query.Wait = feedWait
		return a.until(func(ctx context.Context) error { return events.follow(ctx, show) })
	}
	for {
		if more, err := events.page(show); err != nil || !more {
			return err
		}
	}
}

// printEvent prints an event: what a query selects from it, a line of a table on a
// terminal, or JSON.
func (a *app) printEvent(one feedEvent, asJSON bool, query *gojq.Code) error {
	switch {
	case query != nil:
		return a.printSelected(one.raw, query)
	case asJSON || !a.Terminal:
		return a.printJSON(one.raw, true)
	}
	style := a.style()
	at := one.Timestamp
	if parsed, err := time.Parse(time.RFC3339Nano, at); err == nil {
		at = parsed.UTC().Format("2006-01-02 15:04:05")
	}
	at, kind, details := clean(at), clean(one.Type), eventDetails(one)
	kind = padded(kind, max(kindWidth, utf8.RuneCountInString(kind)))
	if left := a.Width - utf8.RuneCountInString(at+kind) - len("    "); a.Width > 0 {
		details = cut(details, max(left, 1))
	}
	return a.printf("%s\n", strings.TrimRight(style.in(dim, at)+"  "+style.in(bold, kind)+"  "+details, " "))
}

// eventDetails formats the workspace and the content of an event in one line.
func eventDetails(one feedEvent) string {
	var shown []string
	plain, lists := flatten("", one.Data)
	if one.Org != "" {
		plain = append([]member{{"org_id", appendQuoted(jsontext.Value(nil), one.Org)}}, plain...)
	}
	seen := map[string]bool{}
	for _, m := range append(plain, lists...) {
		if m.value.Kind() != 'n' && !seen[m.name] {
			seen[m.name] = true
			shown = append(shown, clean(m.name)+"="+cell(m.value))
		}
	}
	return strings.Join(shown, " ")
}
