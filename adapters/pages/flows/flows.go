// Package flows is the room of flows: their graphs, tests and runs.
package flows

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/diagram"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room, for people who are signed in.
func on(pattern string, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: kit.Person, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// flowsPath is the list of flows of the active workspace.
const flowsPath = kit.Account + "/flows"

// ofInstance is the scope parameter for the flows of the instance.
const ofInstance = string(flow.Instance)

// runsTab is the tab of the run history.
const runsTab = "runs"

// Routes returns the flow pages.
func Routes() []kit.Route {
	return []kit.Route{
		on("GET "+flowsPath, (*visit).flows),
		on("GET "+flowsPath+"/new", (*visit).newFlow),
		on("POST "+flowsPath+"/new", (*visit).createFlow),
		on("GET "+flowsPath+"/named/{id}", (*visit).flow),
		on("GET "+flowsPath+"/named/{id}/edit", (*visit).editFlow),
		on("POST "+flowsPath+"/edit", (*visit).updateFlow),
		on("GET "+flowsPath+"/named/{id}/delete", (*visit).askFlow),
		on("POST "+flowsPath+"/delete", (*visit).deleteFlow),
		on("POST "+flowsPath+"/test", (*visit).testFlow),
		on("POST "+flowsPath+"/enable", (*visit).enableFlow),
		on("POST "+flowsPath+"/disable", (*visit).disableFlow),
		on("POST "+flowsPath+"/rollback", (*visit).rollbackFlow),
		on("GET "+flowsPath+"/runs", (*visit).flowRuns),
		on("GET "+flowsPath+"/runs/{id}", (*visit).flowRun),
	}
}

// flowSection is the workspace of a flow page, and the scope of its flows.
type flowSection struct {
	kit.Section

	// Scope is the scope of the flows; empty for those of the workspace.
	Scope string
	// Super reports whether the person may read the flows of the instance.
	Super bool
}

// flowSection returns the workspace of a flow page. Without permission to read flows, it
// fails with kit.ErrNoPage for GET; a form is refused by its command.
func (v *visit) flowSection(tab string) (flowSection, error) {
	in, err := v.Section(tab)
	if err == nil && !in.May("flows:read") && v.Request.Method != http.MethodPost {
		err = kit.ErrNoPage
	}
	if err != nil {
		return flowSection{}, err
	}
	_, err = v.Me().FlowList(v.Context(), client.FlowListParams{Scope: new(client.FlowScopeInstance), Limit: new(1), OrgID: v.Org()})
	return flowSection{in, v.scope(), err == nil}, nil
}

// scope returns the scope in the query or the form.
func (v *visit) scope() string {
	if ofInstance == cmp.Or(v.Form.Text("scope"), v.Searched("scope")) {
		return ofInstance
	}
	return ""
}

// Tabs returns the flow pages.
func (g flowSection) Tabs() []kit.Entry {
	tabs := []kit.Entry{{Path: flowsPath, Label: "Workspace flows", Here: g.Tab == "" && g.Scope == ""}}
	if g.Super {
		tabs = append(tabs, kit.Entry{Path: flowsPath + "?scope=" + ofInstance, Label: "Instance flows", Here: g.Tab == "" && g.Scope != ""})
	}
	return append(tabs, kit.Entry{Path: flowsPath + "/runs", Label: "Runs", Here: g.Tab == runsTab})
}

// In returns the query that keeps the scope.
func (g flowSection) In() string {
	if g.Scope == "" {
		return ""
	}
	return "?scope=" + g.Scope
}

// flowEntry is a flow for display, with its graph.
type flowEntry struct {
	client.Flow

	Nodes []flow.Node
	Edges []flow.Edge
}

// graph returns the graph of the flow.
func (g flowEntry) graph() flow.Graph { return flow.Graph{Nodes: g.Nodes, Edges: g.Edges} }

// entryOf returns a flow for display.
func entryOf(one client.Flow) (flowEntry, error) {
	shown := flowEntry{Flow: one}
	for _, n := range one.Nodes {
		node := flow.Node{ID: n.ID, Type: n.Type}
		if len(n.Config) > 0 {
			if err := json.Unmarshal(n.Config, &node.Config); err != nil {
				return shown, fmt.Errorf("read the configuration of a node: %w", err)
			}
		}
		shown.Nodes = append(shown.Nodes, node)
	}
	for _, e := range one.Edges {
		shown.Edges = append(shown.Edges, flow.Edge(e))
	}
	return shown, nil
}

// flowPath returns the path of a flow.
func flowPath(name, scope string) string {
	path := flowsPath + "/named/" + url.PathEscape(name)
	if scope == ofInstance {
		path += "?scope=" + scope
	}
	return path
}

// Path returns the path of the flow.
func (g flowEntry) Path() string { return flowPath(g.Name, string(g.Scope)) }

// To returns the path of an action on the flow.
func (g flowEntry) To(action string) string {
	path, query, _ := strings.Cut(g.Path(), "?")
	if query != "" {
		query = "?" + query
	}
	return path + "/" + action + query
}

// At returns the path of a version of the flow.
func (g flowEntry) At(version int) string {
	query := url.Values{"version": {strconv.Itoa(version)}}
	if g.Scope == client.FlowScopeInstance {
		query.Set("scope", ofInstance)
	}
	return flowPath(g.Name, "") + "?" + query.Encode()
}

// flowsData is the data of the list of flows.
type flowsData struct {
	flowSection

	Items []flowEntry
	More  string
	// Templates are the templates of new flows.
	Templates []client.FlowTemplate
}

func (v *visit) flows() error {
	in, err := v.flowSection("")
	if err != nil {
		return err
	}
	const few = 20
	held, err := v.Me().FlowList(v.Context(), client.FlowListParams{Limit: new(few), Scope: client.Given(client.FlowScope(in.Scope)), Cursor: client.Given(v.Cursor()), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data := flowsData{flowSection: in, More: held.NextCursor}
	for _, one := range held.Items {
		shown, err := entryOf(one)
		if err != nil {
			return err
		}
		data.Items = append(data.Items, shown)
	}
	return v.Show("flows", "Flows", data)
}

func (v *visit) newFlow() error {
	if _, err := v.Permitted("", "flows:write"); err != nil {
		return err
	}
	in, err := v.flowSection("")
	if err != nil {
		return err
	}
	ready, err := v.Me().FlowTemplateList(v.Context(), client.FlowTemplateListParams{OrgID: v.Org()})
	if err != nil {
		return err
	}
	return v.Show("newflow", "New flow", flowsData{flowSection: in, Templates: ready.Items})
}

func (v *visit) createFlow() error {
	made, err := v.Me().FlowCreate(v.Context(), client.FlowCreateParams{
		Name: v.Form.Text("name"), Template: new(client.FlowCreateParamsTemplate(v.Form.Text("template"))), Description: client.Given(v.Form.Text("description")),
		Scope: client.Given(client.FlowScope(v.scope())), OrgID: v.Org(),
	})
	if err != nil {
		return v.Retry(err, v.newFlow, "name", "template", "description")
	}
	return v.Done("The flow was created. It has no effect until you enable it.", flowEntry{Flow: made.Flow}.Path())
}

// flowData is the data of the page of a flow.
type flowData struct {
	flowSection

	Flow    flowEntry
	Drawing diagram.Diagram
	// Current is the active version; Flow may be an older one.
	Current  int
	Versions []client.FlowVersion
	Runs     []pastRun
	// Parts are the context fields of a test, and Mocks the results of nodes with
	// external effects.
	Parts []testPart
	Mocks []kit.ParamField
	// Tested is the result of a test, or nil.
	Tested *tested
	// Refused reports whether enabling was refused and can be confirmed.
	Refused bool
}

func (v *visit) flow() error { return v.flowWith(nil) }

// flowWith shows a flow, with the result of a test if there is one.
func (v *visit) flowWith(came *tested) error {
	in, err := v.flowSection("")
	if err != nil {
		return err
	}
	data := flowData{flowSection: in, Tested: came, Refused: v.Form.Wrong() && v.Request.URL.Path == flowsPath+"/enable"}
	name := v.ID("name")
	var found client.FlowGetResult
	at := kit.Params{"name": name}.Text("scope", in.Scope)
	if err := v.Act("FLOW.GET", at, &found); err != nil {
		return err
	}
	data.Current = found.Flow.Version
	p := maps.Clone(at)
	if v.version(p); p["version"] != nil {
		if err := v.Act("FLOW.GET", p, &found); err != nil {
			return err
		}
	}
	if data.Flow, err = entryOf(found.Flow); err != nil {
		return err
	}
	const few = 10
	versions, err := v.Me().FlowVersionList(v.Context(), client.FlowVersionListParams{
		Name: name, Scope: client.Given(client.FlowScope(in.Scope)), Limit: new(few), OrgID: v.Org(),
	})
	if err != nil {
		return err
	}
	runs, err := v.Me().FlowRunList(v.Context(), client.FlowRunListParams{Name: new(name), Limit: new(few), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data.Versions = versions.Items
	for _, one := range runs.Items {
		if one.Scope == found.Flow.Scope {
			data.Runs = append(data.Runs, pastRun{one})
		}
	}
	if data.Parts, err = v.testParts(data.Flow); err != nil {
		return err
	}
	data.Mocks = mocksOf(data.Flow.graph())
	data.Drawing = diagram.Of(data.Flow.graph(), came.steps())
	return v.Show("flow", found.Flow.Name, data)
}

// version returns the requested version; 0 if it is missing or not a number.
func (v *visit) version(p kit.Params) {
	if sent := cmp.Or(v.Form.Text("version"), v.Searched("version")); sent != "" {
		v.Form.Fill("version", sent)
		v.Integers(p, "version")
	}
}

// flowCommand executes a command on the flow of a form.
func (v *visit) flowCommand(command string, p kit.Params, said string) error {
	p["name"] = v.Form.Text("name")
	p.Text("scope", v.scope())
	if err := v.Act(command, p, nil); err != nil {
		return v.Retry(err, v.flow)
	}
	return v.Done(said, flowPath(v.Form.Text("name"), v.scope()))
}

func (v *visit) enableFlow() error {
	p := kit.Params{}
	if v.Form.Has("force", "1") {
		p["force"] = true
	}
	return v.flowCommand("FLOW.ENABLE", p, "The flow is enabled.")
}

func (v *visit) disableFlow() error {
	return v.flowCommand("FLOW.DISABLE", kit.Params{}, "The flow is disabled.")
}

func (v *visit) rollbackFlow() error {
	p := kit.Params{}
	v.Integers(p, "version")
	return v.flowCommand("FLOW.ROLLBACK", p, "The flow was rolled back. The earlier graph is now the current version.")
}

// testFlow runs a flow with the context filled in, and highlights the path.
func (v *visit) testFlow() error {
	var came client.FlowTestResult
	p := kit.Params{"name": v.Form.Text("name")}.Text("scope", v.scope())
	v.Integers(p, "version")
	var found client.FlowGetResult
	if err := v.Act("FLOW.GET", maps.Clone(p), &found); err != nil {
		return err
	}
	shown, err := entryOf(found.Flow)
	if err != nil {
		return err
	}
	parts, err := v.testParts(shown)
	if err != nil {
		return err
	}
	p["context"], p["mocks"] = v.testContext(parts), v.mocked(shown.graph())
	if err := v.Act("FLOW.TEST", p, &came); err != nil {
		if failure, ok := errors.AsType[*fault.Error](err); ok {
			return v.Retry(withTestFields(failure), v.flow, fieldsOf(parts)...)
		}
		return err
	}
	return v.flowWith(&tested{came})
}

// Functions are those of its templates.
func Functions() template.FuncMap {
	return template.FuncMap{
		"drawing": func(name string, d diagram.Diagram) drawing { return drawing{name, d} },
		"runsOf":  func(p kit.Page, runs []pastRun, named bool) shownRuns { return shownRuns{p, runs, named} },
	}
}
