package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// execCommand calls one command of a running service.
type execCommand struct {
	Command        string   `arg:"" help:"Name of the command, FAMILY.ACTION."`
	Params         []string `arg:"" optional:"" name:"params" help:"name=value, name=@file, name=@- (one value from standard input), or - (a JSON object from standard input)."`
	URL            string   `name:"url" help:"Address of the service (GATEHOUSE_URL; default http://localhost:8400)."`
	Token          string   `help:"Access token or API key (GATEHOUSE_TOKEN)."`
	DryRun         bool     `help:"Try the command and take its effect back."`
	IdempotencyKey string   `help:"Do it once, however often it is called with this key."`
	JSON           bool     `name:"json" help:"Print compact JSON also on a terminal."`
}

// Run calls and prints the envelope; it fails when the envelope says no.
func (c execCommand) Run(a *app) error {
	known, err := a.find(c.Command)
	if err != nil {
		return err
	}
	schema, err := readShape(known.Params)
	if err != nil {
		return err
	}
	params, err := a.params(schema, c.Params)
	if err != nil {
		return err
	}
	answer, ok, err := a.call(callRequest{
		base:  cmp.Or(c.URL, a.Getenv("GATEHOUSE_URL"), "http://localhost:8400"),
		token: strings.TrimSpace(cmp.Or(c.Token, a.Getenv("GATEHOUSE_TOKEN"))),
		key:   c.IdempotencyKey,
		body:  c.body(params),
	})
	if err != nil {
		return err
	}
	if err := a.printJSON(answer, c.JSON); err != nil {
		return err
	}
	if !ok {
		return errSaidNo
	}
	return nil
}

// body is the request body (specification section 2.2).
func (c execCommand) body(params jsontext.Value) jsontext.Value {
	body := appendQuoted(jsontext.Value(`{"command":`), c.Command)
	body = append(append(body, `,"params":`...), params...)
	if c.DryRun {
		body = append(body, `,"dry_run":true`...)
	}
	return append(body, '}')
}

// printJSON prints indented for a person, compact for a program.
func (a *app) printJSON(value jsontext.Value, compact bool) error {
	var err error
	if a.Terminal && !compact {
		err = value.Indent(jsontext.WithIndent("  "))
	} else {
		err = value.Compact()
	}
	if err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return a.printf("%s\n", value)
}
