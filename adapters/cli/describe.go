package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/ports/inbound"
)

// resultDepth is the maximum depth of nested results in the description.
const resultDepth = 3

// describe prints the help of exec COMMAND --help.
func (a *app) describe(d inbound.Descriptor) error {
	params, err := readShape(d.Params)
	if err != nil {
		return err
	}
	result, err := readShape(d.Result)
	if err != nil {
		return err
	}
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "%s: %s\n\n", d.Name, d.Summary)
	if d.Description != "" {
		_, _ = fmt.Fprintf(&text, "%s\n\n", d.Description)
	}
	table(&text, facts(d))
	section(&text, "Parameters", paramRows(params))
	section(&text, "Result", resultRows(result, "", 1))
	if line := exampleLine(d); line != "" {
		section(&text, "Example", [][]string{{line}})
	}
	return a.printf("%s", text.String())
}

// facts returns the rows above the parameters.
func facts(d inbound.Descriptor) [][]string {
	rows := [][]string{{"Access", d.Access}, {"Effect", d.Effect}}
	for _, limit := range d.Limits {
		rows = append(rows, []string{"Limit", fmt.Sprintf("%d per %d s, by %s", limit.Limit, limit.WindowSeconds, limit.By)})
	}
	if len(d.Events) > 0 {
		names := make([]string, 0, len(d.Events))
		for _, kind := range d.Events {
			names = append(names, string(kind))
		}
		rows = append(rows, []string{"Events", strings.Join(names, ", ")})
	}
	return rows
}

func paramRows(params *shape) [][]string {
	rows := make([][]string, 0, len(params.Properties))
	for _, p := range params.Properties {
		need := "optional"
		if slices.Contains(params.Required, p.Name) {
			need = "required"
		}
		rows = append(rows, []string{p.Name, p.Shape.title(), need, doc(p.Shape)})
	}
	return rows
}

// resultRows returns rows for the members of a result; nested members have dotted
// names.
func resultRows(result *shape, prefix string, depth int) [][]string {
	var rows [][]string
	for _, choice := range slices.Concat([]*shape{result}, result.AnyOf, result.OneOf) {
		for _, p := range choice.Properties {
			rows = append(rows, []string{prefix + p.Name, p.Shape.title(), doc(p.Shape)})
			if depth == resultDepth {
				continue
			}
			rows = append(rows, resultRows(p.Shape, prefix+p.Name+".", depth+1)...)
			if p.Shape.Items != nil {
				rows = append(rows, resultRows(p.Shape.Items, prefix+p.Name+"[].", depth+1)...)
			}
		}
	}
	return rows
}

// doc returns the description of a member, with limits of the schema in parentheses.
func doc(s *shape) string {
	said := s.Description
	if limits := s.limits(); limits != "" {
		said = strings.TrimSpace(said + " (" + limits + ")")
	}
	return said
}

// exampleLine returns the example of a command as a command line.
func exampleLine(d inbound.Descriptor) string {
	var body struct {
		Params jsontext.Value `json:"params"`
	}
	var members map[string]jsontext.Value
	if jsonv2.Unmarshal(d.Example, &body) != nil || jsonv2.Unmarshal(body.Params, &members) != nil {
		return ""
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	line := "gatehouse exec " + d.Name
	for _, name := range names {
		line += " " + name + "=" + shellWord(members[name])
	}
	return line
}

// shellWord quotes a JSON value for a POSIX shell; texts lose their JSON quotes.
func shellWord(value jsontext.Value) string {
	text := string(value)
	if value.Kind() == '"' {
		if plain, err := jsontext.AppendUnquote(nil, value); err == nil {
			text = string(plain)
		}
		if strings.HasPrefix(text, "@") {
			text = "@" + text
		}
	}
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-"
	if text != "" && strings.Trim(text, safe) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func section(to io.Writer, title string, rows [][]string) {
	if len(rows) == 0 {
		rows = [][]string{{"none"}}
	}
	_, _ = fmt.Fprintf(to, "\n%s\n", title)
	table(to, rows)
}

// table prints rows in columns, without trailing blanks.
func table(to io.Writer, rows [][]string) {
	var aligned strings.Builder
	columns := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintf(columns, "  %s\n", strings.Join(row, "\t"))
	}
	_ = columns.Flush()
	for line := range strings.Lines(aligned.String()) {
		_, _ = fmt.Fprintln(to, strings.TrimRight(line, " \n"))
	}
}
