package cli

import (
	"fmt"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type flowCommands struct {
	Export  exportFlowsCommand `cmd:"" help:"Export flows to standard output as one document."`
	Import  importFlowsCommand `cmd:"" help:"Import flows from a document. Either all of them are imported or none."`
	Test    testFlowCommand    `cmd:"" help:"Test a flow with sample data, without side effects."`
	Disable disableFlowCommand `cmd:"" help:"Disable a flow. Without --url, --token or --profile, it is disabled directly in the database in DATABASE_URL."`
}

// exportFlowsCommand prints the document of FLOW.EXPORT.
type exportFlowsCommand struct {
	Names  []string `arg:"" optional:"" help:"Names of the flows. Defaults to all flows."`
	Format string   `enum:"json,yaml" default:"yaml" help:"Output format: json or yaml."`
	connection
}

// Run prints the document, in the form accepted by FLOW.IMPORT.
func (c exportFlowsCommand) Run(a *app) error {
	words := []string{"format=" + c.Format}
	if len(c.Names) > 0 {
		names, err := jsonv2.Marshal(c.Names)
		if err != nil {
			return fmt.Errorf("encode the names: %w", err)
		}
		words = append(words, "names="+string(names))
	}
	made, err := a.exec(execCommand{Command: "FLOW.EXPORT", Params: words, connection: c.connection})
	if err != nil {
		return err
	}
	if !made.answer.ok {
		return a.show(made.answer, made.how)
	}
	var envelope struct {
		Data struct {
			Document jsontext.Value `json:"document"`
		} `json:"data"`
	}
	if err := jsonv2.Unmarshal(made.answer.envelope, &envelope); err != nil {
		return &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
	}
	document := envelope.Data.Document
	if document.Kind() == '"' {
		var text string
		if err := jsonv2.Unmarshal(document, &text); err != nil {
			return &unreachableError{cause: fmt.Errorf("read the document: %w", err)}
		}
		return a.printf("%s", text)
	}
	if err := document.Indent(jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("print the document: %w", err)
	}
	return a.printf("%s\n", document)
}

// importFlowsCommand calls FLOW.IMPORT.
type importFlowsCommand struct {
	File       string `arg:"" help:"Document from gatehouse flow export, in YAML or JSON. Use - for standard input."`
	OnConflict string `enum:"fail,replace,rename" default:"fail" help:"Action if a flow with the same name exists: fail, replace or rename."`
	Force      bool   `help:"Replace enabled flows even if they would deny you."`
	JSON       bool   `name:"json" help:"Print compact JSON, also on a terminal."`
	connection
}

// Run fails if there are problems with the document.
func (c importFlowsCommand) Run(a *app) error {
	words := []string{"document=@" + c.File, "on_conflict=" + c.OnConflict, "force=" + strconv.FormatBool(c.Force)}
	made, err := a.exec(execCommand{Command: "FLOW.IMPORT", Params: words, output: output{JSON: c.JSON}, connection: c.connection})
	if err != nil {
		return err
	}
	var envelope struct {
		Data struct {
			Problems []jsontext.Value `json:"problems"`
		} `json:"data"`
	}
	if err := jsonv2.Unmarshal(made.answer.envelope, &envelope); err != nil {
		return &unreachableError{cause: fmt.Errorf("read the response: %w", err)}
	}
	if err := a.show(made.answer, made.how); err != nil {
		return err
	}
	if len(envelope.Data.Problems) > 0 {
		return errSaidNo
	}
	return nil
}

// testFlowCommand calls FLOW.TEST for a stored flow.
type testFlowCommand struct {
	Name    string `arg:"" help:"Name of the flow."`
	Context string `default:"{}" help:"Context of the flow, as JSON. Use @FILE to read a file, @- for standard input."`
	Mocks   string `default:"{}" help:"Simulated results of webhook_check and rate_limit nodes, by node ID, as JSON. Use @FILE to read a file, @- for standard input."`
	Version int    `name:"flow-version" help:"Version of the flow. Defaults to the current version."`
	Scope   string `enum:"workspace,instance" default:"workspace" help:"Scope of the flow: workspace or instance."`
	JSON    bool   `name:"json" help:"Print compact JSON, also on a terminal."`
	connection
}

// Run prints the decision of the flow.
func (c testFlowCommand) Run(a *app) error {
	words := []string{"name=" + c.Name, "scope=" + c.Scope, "context=" + c.Context, "mocks=" + c.Mocks}
	if c.Version != 0 {
		words = append(words, "version="+strconv.Itoa(c.Version))
	}
	return execCommand{Command: "FLOW.TEST", Params: words, output: output{JSON: c.JSON}, connection: c.connection}.Run(a)
}

// disableFlowCommand calls FLOW.DISABLE, or disables the flow in the store after
// everybody was locked out.
type disableFlowCommand struct {
	Name  string `arg:"" help:"Name of the flow."`
	Scope string `enum:"workspace,instance," default:"" help:"Scope of the flow: workspace or instance. Defaults to workspace; directly in the database, to instance."`
	Org   string `help:"ID of the workspace. Only used directly in the database."`
	JSON  bool   `name:"json" help:"Print compact JSON, also on a terminal."`
	connection
}

// Run calls a service, or changes the store if no service is named.
func (c disableFlowCommand) Run(a *app) error {
	if c.named(a) {
		if c.Org != "" {
			return usagef("--org only works directly in the database: a service uses the workspace of the session")
		}
		words := []string{"name=" + c.Name}
		if c.Scope != "" {
			words = append(words, "scope="+c.Scope)
		}
		return execCommand{Command: "FLOW.DISABLE", Params: words, output: output{JSON: c.JSON}, connection: c.connection}.Run(a)
	}
	if c.Scope == "workspace" && c.Org == "" || c.Scope == "instance" && c.Org != "" {
		return usagef("set --org for a flow of a workspace, and omit it for a flow of the instance")
	}
	if err := a.program.DisableFlow(a.ctx, c.Org, c.Name); err != nil {
		return fmt.Errorf("disable the flow %s: %w", c.Name, err)
	}
	return a.printf("disabled the flow %s, starting with the next request\n", c.Name)
}

// named reports whether flags or variables name a service. The default profile does not
// count, since the flow may block its session.
func (c connection) named(a *app) bool {
	for _, given := range []string{c.URL, c.Token, c.Profile, a.Getenv(variableURL), a.Getenv(variableToken), a.Getenv(variableProfile)} {
		if given != "" {
			return true
		}
	}
	return false
}
