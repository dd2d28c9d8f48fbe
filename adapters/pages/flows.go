package pages

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/adapters/pages/diagram"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// flowsPath is the list of flows of the active workspace.
const flowsPath = account + "/flows"

// ofInstance is the scope parameter for the flows of the instance.
const ofInstance = string(flow.Instance)

// runsTab is the tab of the run history.
const runsTab = "runs"

// flowRoutes returns the flow pages.
func flowRoutes() []route {
	return []route{
		{"GET " + flowsPath, person, (*visit).flows},
		{"GET " + flowsPath + "/new", person, (*visit).newFlow},
		{"POST " + flowsPath + "/new", person, (*visit).createFlow},
		{"GET " + flowsPath + "/named/{id}", person, (*visit).flow},
		{"GET " + flowsPath + "/named/{id}/edit", person, (*visit).editFlow},
		{"POST " + flowsPath + "/edit", person, (*visit).updateFlow},
		{"GET " + flowsPath + "/named/{id}/delete", person, (*visit).askFlow},
		{"POST " + flowsPath + "/delete", person, (*visit).deleteFlow},
		{"POST " + flowsPath + "/test", person, (*visit).testFlow},
		{"POST " + flowsPath + "/enable", person, (*visit).enableFlow},
		{"POST " + flowsPath + "/disable", person, (*visit).disableFlow},
		{"POST " + flowsPath + "/rollback", person, (*visit).rollbackFlow},
		{"GET " + flowsPath + "/runs", person, (*visit).flowRuns},
		{"GET " + flowsPath + "/runs/{id}", person, (*visit).flowRun},
	}
}

// flowSection is the workspace of a flow page, and the scope of its flows.
type flowSection struct {
	workspaceSection

	// Scope is the scope of the flows; empty for those of the workspace.
	Scope string
	// Super reports whether the person may read the flows of the instance.
	Super bool
}

// flowSection returns the workspace of a flow page. Without permission to read flows, it
// fails with errNoPage for GET; a form is refused by its command.
func (v *visit) flowSection(tab string) (flowSection, error) {
	in, err := v.workspaceSection(tab)
	if err == nil && !in.May("flows:read") && v.r.Method != http.MethodPost {
		err = errNoPage
	}
	if err != nil {
		return flowSection{}, err
	}
	super := v.act("FLOW.LIST", params{"scope": ofInstance, "limit": 1}, nil) == nil
	return flowSection{in, v.scope(), super}, nil
}

// scope returns the scope in the query or the form.
func (v *visit) scope() string {
	if ofInstance == cmp.Or(v.form.text("scope"), v.searched("scope")) {
		return ofInstance
	}
	return ""
}

// Tabs returns the flow pages.
func (g flowSection) Tabs() []entry {
	tabs := []entry{{Path: flowsPath, Label: "Workspace flows", Here: g.Tab == "" && g.Scope == ""}}
	if g.Super {
		tabs = append(tabs, entry{Path: flowsPath + "?scope=" + ofInstance, Label: "Instance flows", Here: g.Tab == "" && g.Scope != ""})
	}
	return append(tabs, entry{Path: flowsPath + "/runs", Label: "Runs", Here: g.Tab == runsTab})
}

// In returns the query that keeps the scope.
func (g flowSection) In() string {
	if g.Scope == "" {
		return ""
	}
	return "?scope=" + g.Scope
}

type flowEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Trigger     string `json:"trigger"`
	Scope       string `json:"scope"`
	Enabled     bool   `json:"enabled"`
	Version     int    `json:"version"`
	flow.Graph
	UpdatedAt time.Time `json:"updated_at"`
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
func (g flowEntry) Path() string { return flowPath(g.Name, g.Scope) }

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
	if g.Scope == ofInstance {
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
	Templates []flowTemplate
}

// flowTemplate is a graph to start from.
type flowTemplate struct {
	Template string `json:"template"`
	Summary  string `json:"summary"`
	Trigger  string `json:"trigger"`
}

func (v *visit) flows() error {
	in, err := v.flowSection("")
	if err != nil {
		return err
	}
	const few = 20
	var held list[flowEntry]
	if err := v.act("FLOW.LIST", params{"limit": few}.text("scope", in.Scope).text("cursor", v.cursor()), &held); err != nil {
		return err
	}
	return v.show("flows", "Flows", flowsData{flowSection: in, Items: held.Items, More: held.NextCursor})
}

func (v *visit) newFlow() error {
	if _, err := v.workspaceForm("", "flows:write"); err != nil {
		return err
	}
	in, err := v.flowSection("")
	if err != nil {
		return err
	}
	var ready list[flowTemplate]
	if err := v.act("FLOW.TEMPLATE_LIST", nil, &ready); err != nil {
		return err
	}
	return v.show("newflow", "New flow", flowsData{flowSection: in, Templates: ready.Items})
}

func (v *visit) createFlow() error {
	var made struct {
		Flow flowEntry `json:"flow"`
	}
	p := params{"name": v.form.text("name"), "template": v.form.text("template")}
	p.text("description", v.form.text("description")).text("scope", v.scope())
	if err := v.act("FLOW.CREATE", p, &made); err != nil {
		return v.retry(err, (*visit).newFlow, "name", "template", "description")
	}
	return v.done("The flow was created. It has no effect until you enable it.", made.Flow.Path())
}

// flowData is the data of the page of a flow.
type flowData struct {
	flowSection

	Flow    flowEntry
	Drawing diagram.Diagram
	// Current is the active version; Flow may be an older one.
	Current  int
	Versions []flowVersion
	Runs     []pastRun
	// Parts are the context fields of a test, and Mocks the results of nodes with
	// external effects.
	Parts []testPart
	Mocks []paramField
	// Tested is the result of a test, or nil.
	Tested *tested
	// Refused reports whether enabling was refused and can be confirmed.
	Refused bool
}

type flowVersion struct {
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	Changes   []string  `json:"changes"`
}

func (v *visit) flow() error { return v.flowWith(nil) }

// flowWith shows a flow, with the result of a test if there is one.
func (v *visit) flowWith(came *tested) error {
	in, err := v.flowSection("")
	if err != nil {
		return err
	}
	data := flowData{flowSection: in, Tested: came, Refused: v.form.Wrong() && v.r.URL.Path == flowsPath+"/enable"}
	name := v.id("name")
	var found struct {
		Flow flowEntry `json:"flow"`
	}
	at := params{"name": name}.text("scope", in.Scope)
	if err := v.act("FLOW.GET", at, &found); err != nil {
		return err
	}
	data.Current = found.Flow.Version
	p := maps.Clone(at)
	if v.version(p); p["version"] != nil {
		if err := v.act("FLOW.GET", p, &found); err != nil {
			return err
		}
	}
	data.Flow = found.Flow
	const few = 10
	at["limit"] = few
	var versions list[flowVersion]
	if err := v.act("FLOW.VERSION_LIST", at, &versions); err != nil {
		return err
	}
	var runs list[pastRun]
	if err := v.act("FLOW.RUN_LIST", params{"name": name, "limit": few}, &runs); err != nil {
		return err
	}
	data.Versions = versions.Items
	data.Runs = slices.DeleteFunc(runs.Items, func(one pastRun) bool { return one.Scope != found.Flow.Scope })
	if data.Parts, err = v.testParts(found.Flow); err != nil {
		return err
	}
	data.Mocks = mocksOf(found.Flow.Graph)
	data.Drawing = diagram.Of(found.Flow.Graph, came.steps())
	return v.show("flow", found.Flow.Name, data)
}

// version returns the requested version; 0 if it is missing or not a number.
func (v *visit) version(p params) {
	if sent := cmp.Or(v.form.text("version"), v.searched("version")); sent != "" {
		v.form.fill("version", sent)
		v.integers(p, "version")
	}
}

// flowCommand executes a command on the flow of a form.
func (v *visit) flowCommand(command string, p params, said string) error {
	p["name"] = v.form.text("name")
	p.text("scope", v.scope())
	if err := v.act(command, p, nil); err != nil {
		return v.retry(err, (*visit).flow)
	}
	return v.done(said, flowPath(v.form.text("name"), v.scope()))
}

func (v *visit) enableFlow() error {
	p := params{}
	if v.form.Has("force", "1") {
		p["force"] = true
	}
	return v.flowCommand("FLOW.ENABLE", p, "The flow is enabled.")
}

func (v *visit) disableFlow() error {
	return v.flowCommand("FLOW.DISABLE", params{}, "The flow is disabled.")
}

func (v *visit) rollbackFlow() error {
	p := params{}
	v.integers(p, "version")
	return v.flowCommand("FLOW.ROLLBACK", p, "The flow was rolled back. The earlier graph is now the current version.")
}

// testFlow runs a flow with the context filled in, and highlights the path.
func (v *visit) testFlow() error {
	var came tested
	p := params{"name": v.form.text("name")}.text("scope", v.scope())
	v.integers(p, "version")
	var found struct {
		Flow flowEntry `json:"flow"`
	}
	if err := v.act("FLOW.GET", maps.Clone(p), &found); err != nil {
		return err
	}
	parts, err := v.testParts(found.Flow)
	if err != nil {
		return err
	}
	p["context"], p["mocks"] = v.testContext(parts), v.mocked(found.Flow.Graph)
	if err := v.act("FLOW.TEST", p, &came); err != nil {
		if failure, ok := errors.AsType[*fault.Error](err); ok {
			return v.retry(withTestFields(failure), (*visit).flow, fieldsOf(parts)...)
		}
		return err
	}
	return v.flowWith(&came)
}
