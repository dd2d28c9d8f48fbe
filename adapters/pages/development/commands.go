package development

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// familyData is a command family and its commands.
type familyData struct {
	Name     string
	Commands []inbound.Descriptor
}

// commandsData is the data of the command list.
type commandsData struct {
	Query    string
	Found    int
	Families []familyData
}

// commands lists the commands that match a search, by family.
func (v *visit) commands() error {
	shown := commandsData{Query: strings.TrimSpace(v.Request.URL.Query().Get("q"))}
	for _, one := range v.Site.Commands.Catalog() {
		if !matches(one, shown.Query) {
			continue
		}
		shown.Found++
		if last := len(shown.Families) - 1; last < 0 || shown.Families[last].Name != one.Family {
			shown.Families = append(shown.Families, familyData{Name: one.Family})
		}
		last := &shown.Families[len(shown.Families)-1]
		last.Commands = append(last.Commands, one)
	}
	return v.present("commands", "Commands", shown)
}

// matches reports whether the name, summary or description contains every word of a query.
func matches(one inbound.Descriptor, query string) bool {
	text := strings.ToLower(one.Name + " " + one.Summary + " " + one.Description)
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// commandData is the data of the page of a command.
type commandData struct {
	inbound.Descriptor

	Blanks []kit.ParamField
	// Stored reports whether the command supports dry runs.
	Stored bool
	// Answer is the result of a run, or nil.
	Answer *runResult
	// Curl is a shell command that calls the command.
	Curl string
}

// runResult is the result of running a command.
type runResult struct {
	// Status is a short label; Message is the message of an error.
	Status, Message string
	OK              bool
	// Body is the data or the error as JSON.
	Body []byte
	Took time.Duration
	// Presence reports whether the command requires a recent login.
	Presence bool
}

// command shows a command with a form for its parameters, filled with the example if
// requested.
func (v *visit) command() error {
	shown, err := v.described()
	if err != nil {
		return err
	}
	if v.Request.URL.Query().Has("example") {
		v.Form.Values = exampleOf(shown)
	}
	return v.present("command", shown.Name, shown)
}

// described returns the command of the path. It fails with kit.ErrNoPage.
func (v *visit) described() (commandData, error) {
	all := v.Site.Commands.Catalog()
	at := slices.IndexFunc(all, func(one inbound.Descriptor) bool { return one.Name == v.Request.PathValue("name") })
	if at < 0 {
		return commandData{}, kit.ErrNoPage
	}
	shown := commandData{Descriptor: all[at], Stored: all[at].Effect == "store"}
	var err error
	shown.Blanks, err = kit.ParamFields(shown.Params)
	shown.Curl = v.curl(jsontext.Value(shown.Example), shown.Access != "public")
	return shown, err
}

// exampleOf returns form values for the example of a command.
func exampleOf(of commandData) map[string][]string {
	var example struct {
		Params map[string]jsontext.Value `json:"params"`
	}
	if json.Unmarshal(of.Example, &example) != nil {
		return nil
	}
	filled := map[string][]string{}
	for _, b := range of.Blanks {
		value, given := example.Params[b.Name]
		if !given {
			continue
		}
		text := kit.InputText(value)
		var lines []string
		if b.Widget == kit.AsLines && json.Unmarshal(value, &lines) == nil {
			text = strings.Join(lines, "\n")
		}
		filled[b.Field()] = []string{text}
	}
	return filled
}

// run executes a command as the person signed in, or anonymously.
func (v *visit) run() error {
	shown, err := v.described()
	if err != nil {
		return err
	}
	params, complaints := v.typed(shown.Blanks)
	if len(complaints) > 0 {
		v.Form.Errors, v.Status = complaints, http.StatusUnprocessableEntity
		return v.present("command", shown.Name, shown)
	}
	request := inbound.Request{Command: shown.Name, Params: params, DryRun: v.Form.Text("dry_run") != ""}
	reply, took, err := v.timed(request)
	if err != nil {
		return err
	}
	shown.Curl = v.curl(requestBody(request, shown.Blanks), shown.Access != "public")
	shown.Answer = answered(reply)
	shown.Answer.Took = took
	if reply.Failure != nil {
		v.Form.Errors = fieldErrors(reply.Failure, shown.Blanks)
		v.Status = http.StatusUnprocessableEntity
	}
	return v.present("command", shown.Name, shown)
}

// timed executes a command and measures its duration.
func (v *visit) timed(request inbound.Request) (reply inbound.Reply, took time.Duration, err error) {
	began := v.Site.Clock.Now()
	if v.Tokens.Access == "" || v.Form.Text("anonymous") != "" {
		reply = v.Send(request, "")
	} else {
		reply, err = v.AsHolder(request)
	}
	return reply, v.Site.Clock.Now().Sub(began), err
}

// typed builds the parameters from the form.
func (v *visit) typed(fields []kit.ParamField) (jsontext.Value, map[string]string) {
	object, complaints := jsontext.Value{'{'}, map[string]string{}
	for _, b := range fields {
		value, complaint := b.Value(v.Form.Secret(b.Field()))
		if complaint != "" {
			complaints[b.Name] = complaint
		}
		if value == nil {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object, _ = jsontext.AppendQuote(object, b.Name)
		object = append(append(object, ':'), value...)
	}
	return append(object, '}'), complaints
}

// answered converts a reply for display.
func answered(reply inbound.Reply) *runResult {
	if reply.Failure == nil {
		return &runResult{OK: true, Status: "OK", Body: reply.Data}
	}
	said, _ := json.Marshal(struct {
		Code    fault.Code    `json:"code"`
		Message string        `json:"message"`
		Fields  []fault.Field `json:"fields,omitzero"`
		Flow    *fault.Flow   `json:"flow,omitzero"`
	}{reply.Failure.Code, reply.Failure.Message, reply.Failure.Fields, reply.Failure.Flow})
	return &runResult{
		Status: string(reply.Failure.Code), Message: kit.Sentence(reply.Failure.Message), Body: said,
		Presence: errors.Is(reply.Failure, access.ErrNotRecent),
	}
}

// fieldErrors returns the field errors of a failure by parameter name.
func fieldErrors(failure *fault.Error, fields []kit.ParamField) map[string]string {
	said := map[string]string{}
	for _, complaint := range failure.Fields {
		name, _, _ := strings.Cut(strings.TrimPrefix(complaint.Path, "/"), "/")
		if slices.ContainsFunc(fields, func(b kit.ParamField) bool { return b.Name == name }) {
			said[name] = cmp.Or(said[name], kit.Sentence(complaint.Message))
		}
	}
	return said
}

// requestBody returns the request body of a call, with placeholders for secrets.
func requestBody(request inbound.Request, fields []kit.ParamField) jsontext.Value {
	var given map[string]jsontext.Value
	_ = json.Unmarshal(request.Params, &given)
	params := jsontext.Value{'{'}
	for _, b := range fields {
		value, is := given[b.Name]
		if !is {
			continue
		}
		if b.Shape.WriteOnly {
			value = jsontext.Value(`"…"`)
		}
		if len(params) > 1 {
			params = append(params, ',')
		}
		params, _ = jsontext.AppendQuote(params, b.Name)
		params = append(append(params, ':'), value...)
	}
	raw, _ := json.Marshal(struct {
		Command string         `json:"command"`
		Params  jsontext.Value `json:"params"`
		DryRun  bool           `json:"dry_run,omitzero"`
	}{request.Command, append(params, '}'), request.DryRun})
	return raw
}

// curl returns a shell command that sends a request body. The token is a variable, not
// its value.
func (v *visit) curl(body jsontext.Value, credential bool) string {
	var call strings.Builder
	call.WriteString("curl -s " + v.Site.Host + "/api/v1/execute \\\n  -H 'Content-Type: application/json' \\\n")
	if credential {
		call.WriteString("  -H \"Authorization: Bearer $TOKEN\" \\\n")
	}
	call.WriteString("  -d '" + strings.ReplaceAll(string(body), "'", `'\''`) + "'")
	return call.String()
}

// milliseconds formats a duration in milliseconds.
func milliseconds(took time.Duration) string {
	return strconv.FormatFloat(took.Seconds()*1000, 'f', 1, 64) + " ms"
}
