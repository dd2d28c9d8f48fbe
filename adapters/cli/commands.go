package cli

import (
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"gatehouse.internal/domain/spelling"
	"gatehouse.internal/ports/inbound"
)

// commandsCommand lists the commands of this release.
type commandsCommand struct {
	Family   string `help:"List only the commands of this family, such as AUTH."`
	JSON     bool   `name:"json" help:"Print the command descriptors as JSON."`
	Names    bool   `help:"Print only the names, one per line."`
	ParamsOf string `hidden:"" help:"Print the parameters of a command, one per line, for completion."`
	ValuesOf string `hidden:"" help:"With --params-of: print the allowed values of this parameter instead."`
}

// Run prints the list in the requested format.
func (c commandsCommand) Run(a *app) error {
	if c.ParamsOf != "" {
		return a.paramNames(c.ParamsOf, c.ValuesOf)
	}
	listed, err := a.family(c.Family)
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		encoded, err := jsonv2.Marshal(listed, jsonv2.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encode the catalog: %w", err)
		}
		return a.printJSON(encoded, false)
	case c.Names:
		var names strings.Builder
		for _, d := range listed {
			names.WriteString(d.Name + "\n")
		}
		return a.printf("%s", names.String())
	default:
		rows := make([][]string, 0, len(listed))
		for _, d := range listed {
			rows = append(rows, []string{d.Name, d.Access, d.Summary})
		}
		var text strings.Builder
		table(&text, rows)
		return a.printf("%s", text.String())
	}
}

// family returns the commands of a family, or all commands for "".
func (a *app) family(family string) ([]inbound.Descriptor, error) {
	listed := []inbound.Descriptor{}
	var families []string
	for _, d := range a.program.Catalog() {
		if family == "" || strings.EqualFold(d.Family, family) {
			listed = append(listed, d)
		}
		families = append(families, d.Family)
	}
	if family != "" && len(listed) == 0 {
		return nil, usagef("unknown family %q%s", family, spelling.Hint(family, families))
	}
	return listed, nil
}

// paramNames prints the completions of parameters: their names, or the values of one of
// them.
func (a *app) paramNames(command, valuesOf string) error {
	known, err := a.find(command)
	if err != nil {
		return err
	}
	schema, err := readShape(known.Params)
	if err != nil {
		return err
	}
	var names strings.Builder
	if valued, known := schema.property(valuesOf); known {
		for _, value := range valued.values() {
			names.WriteString(value + "\n")
		}
	} else if valuesOf == "" {
		for _, name := range schema.names() {
			names.WriteString(name + "=\n")
		}
	}
	return a.printf("%s", names.String())
}
