package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"gatehouse.internal/domain/spelling"
	"gatehouse.internal/ports/inbound"
)

// output are the flags for the form of a response.
type output struct {
	JSON    bool     `name:"json" help:"Print the response as one line of JSON, also on a terminal."`
	JQ      string   `name:"jq" placeholder:"EXPR" help:"Print the result of a jq expression for the data of the response. Strings are printed without quotes."`
	Columns []string `placeholder:"NAMES" help:"Columns to show for a list on a terminal, separated by commas."`
}

// outputOptions are the output options of a response.
type outputOptions struct {
	output

	called  inbound.Descriptor
	profile string
	query   *gojq.Code
}

// shown checks the flags against the command.
func (o output) shown(called inbound.Descriptor) (outputOptions, error) {
	how := outputOptions{output: o, called: called}
	var err error
	if how.query, err = compileQuery(o.JQ); err != nil {
		return outputOptions{}, err
	}
	if len(o.Columns) == 0 {
		return how, nil
	}
	result, err := readShape(called.Result)
	if err != nil {
		return outputOptions{}, err
	}
	items, known := result.property("items")
	if !known || items.Items == nil {
		return outputOptions{}, usagef("--columns only works for lists: %s does not return a list", called.Name)
	}
	names := items.Items.names()
	for _, column := range o.Columns {
		if name, _, _ := strings.Cut(column, "."); !slices.Contains(names, name) {
			return outputOptions{}, usagef("unknown column %q%s", column, spelling.Hint(column, names))
		}
	}
	return how, nil
}

// compileQuery compiles the expression of --jq; nil if there is none.
func compileQuery(expression string) (*gojq.Code, error) {
	if expression == "" {
		return nil, nil
	}
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, usagef("--jq: %v", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, usagef("--jq: %v", err)
	}
	return code, nil
}

// show prints a response: what --jq selects, formatted for a terminal, or the envelope.
func (a *app) show(answer reply, how outputOptions) error {
	var err error
	switch {
	case how.query != nil && answer.ok:
		var data jsontext.Value
		if data, err = dataOf(answer.envelope); err == nil {
			err = a.printSelected(data, how.query)
		}
	case how.query == nil && (!a.Terminal || how.JSON):
		err = a.printJSON(answer.envelope, how.JSON)
	case answer.ok:
		err = a.printData(answer.envelope, how.Columns)
	default:
		a.explain(refusalOf(answer.envelope), how.called, how.profile)
	}
	if err == nil && !answer.ok {
		err = errSaidNo
	}
	return err
}

// dataOf returns the data of an envelope.
func dataOf(envelope jsontext.Value) (jsontext.Value, error) {
	var read struct {
		Data jsontext.Value `json:"data"`
	}
	if err := jsonv2.Unmarshal(envelope, &read); err != nil {
		return nil, &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
	}
	return read.Data, nil
}

// printData prints the data of an envelope in readable form.
func (a *app) printData(envelope jsontext.Value, columns []string) error {
	data, err := dataOf(envelope)
	if err != nil {
		return err
	}
	return a.printf("%s", a.render(data, columns))
}

// printSelected prints the values that a query selects from JSON, one a line.
func (a *app) printSelected(data jsontext.Value, query *gojq.Code) error {
	var input any
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber() // so that no large one is rounded
	if err := numbers.Decode(&input); err != nil {
		return &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
	}
	for values := query.RunWithContext(a.ctx, input); ; {
		value, more := values.Next()
		if !more {
			return nil
		}
		if err, failed := value.(error); failed {
			return fmt.Errorf("--jq: %w", err)
		}
		if err := a.printValue(value); err != nil {
			return err
		}
	}
}

// printValue prints a value of a query: JSON, or a text without quotes.
func (a *app) printValue(value any) error {
	line, is := value.(string)
	if !is {
		encoded, err := gojq.Marshal(value)
		if err != nil {
			return fmt.Errorf("--jq: %w", err)
		}
		line = string(encoded)
	}
	if a.Terminal {
		line = clean(line)
	}
	return a.printf("%s\n", line)
}

// printJSON prints JSON, indented on a terminal unless compact.
func (a *app) printJSON(value jsontext.Value, compact bool) error {
	var err error
	if a.Terminal && !compact {
		err = value.Indent(jsontext.WithIndent("  "))
	} else {
		err = value.Compact()
	}
	if err != nil {
		return fmt.Errorf("print the response: %w", err)
	}
	return a.printf("%s\n", value)
}
