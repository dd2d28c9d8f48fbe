package pages

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"gatehouse.internal/adapters/pages/diagram"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// flowsPath is the page of the flows of the active workspace.
const flowsPath = account + "/flows"

// ofInstance is the scope of the flows of the instance, as addresses name it.
const ofInstance = string(flow.Instance)

// runsTab is the page of past runs.
const runsTab = "runs"

// flowRoutes returns what people do with flows.
func flowRoutes() []route {
	return []route{
		{"GET " + flowsPath, person, (*visit).flows},
		{"GET " + flowsPath + "/new", person, (*visit).newFlow},
		{"POST " + flowsPath + "/new", person, (*visit).createFlow},
		{"GET " + flowsPath + "/named/{id}", person, (*visit).flow},
		{"POST " + flowsPath + "/test", person, (*visit).testFlow},
		{"POST " + flowsPath + "/enable", person, (*visit).enableFlow},
		{"POST " + flowsPath + "/disable", person, (*visit).disableFlow},
		{"POST " + flowsPath + "/rollback", person, (*visit).rollbackFlow},
		{"GET " + flowsPath + "/runs", person, (*visit).flowRuns},
		{"GET " + flowsPath + "/runs/{id}", person, (*visit).flowRun},
	}
}

// gates is the active workspace for a page about flows, its own or those of the instance.
type gates struct {
	room

	// Scope is whose flows the page is about; empty: those of the workspace.
	Scope string
	// Super reports whether the person may look at those of the instance.
	Super bool
}

// gates asks for the active workspace. Who may not look at flows finds no page; a form that
// was sent is refused by its command.
func (v *visit) gates(tab string) (gates, error) {
	in, err := v.room(tab)
	if err == nil && !in.May("flows:read") && v.r.Method != http.MethodPost {
		err = errNoPage
	}
	if err != nil {
		return gates{}, err
	}
	super := v.act("FLOW.LIST", params{"scope": ofInstance, "limit": 1}, nil) == nil
	return gates{in, v.scope(), super}, nil
}

// scope returns whose flows a page is about, by its address or its form.
func (v *visit) scope() string {
	if ofInstance == cmp.Or(v.form.text("scope"), v.asked("scope")) {
		return ofInstance
	}
	return ""
}

// Tabs returns the pages about flows.
func (g gates) Tabs() []entry {
	tabs := []entry{{Path: flowsPath, Label: "Flows of the workspace", Here: g.Tab == "" && g.Scope == ""}}
	if g.Super {
		tabs = append(tabs, entry{Path: flowsPath + "?scope=" + ofInstance, Label: "Flows of the instance", Here: g.Tab == "" && g.Scope != ""})
	}
	return append(tabs, entry{Path: flowsPath + "/runs", Label: "Runs", Here: g.Tab == runsTab})
}

// In returns what leads an address to the same scope.
func (g gates) In() string {
	if g.Scope == "" {
		return ""
	}
	return "?scope=" + g.Scope
}

// gate is a flow.
type gate struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Trigger     string `json:"trigger"`
	Scope       string `json:"scope"`
	Enabled     bool   `json:"enabled"`
	Version     int    `json:"version"`
	flow.Graph
	UpdatedAt time.Time `json:"updated_at"`
}

// gatePath returns the page of a flow.
func gatePath(name, scope string) string {
	path := flowsPath + "/named/" + url.PathEscape(name)
	if scope == ofInstance {
		path += "?scope=" + scope
	}
	return path
}

// Path returns the page of the flow.
func (g gate) Path() string { return gatePath(g.Name, g.Scope) }

// At returns the page of a version of it.
func (g gate) At(version int) string {
	query := url.Values{"version": {strconv.Itoa(version)}}
	if g.Scope == ofInstance {
		query.Set("scope", ofInstance)
	}
	return gatePath(g.Name, "") + "?" + query.Encode()
}

// flowsData is what the page of all flows shows.
type flowsData struct {
	gates

	Items []gate
	More  string
	// Templates are those to make a flow from.
	Templates []flowTemplate
}

// flowTemplate is a ready graph to begin with.
type flowTemplate struct {
	Template string `json:"template"`
	Summary  string `json:"summary"`
	Trigger  string `json:"trigger"`
}

func (v *visit) flows() error {
	in, err := v.gates("")
	if err != nil {
		return err
	}
	const few = 20
	var held list[gate]
	if err := v.act("FLOW.LIST", params{"limit": few}.text("scope", in.Scope).text("cursor", v.cursor()), &held); err != nil {
		return err
	}
	return v.show("flows", "Flows", flowsData{gates: in, Items: held.Items, More: held.NextCursor})
}

func (v *visit) newFlow() error {
	if _, err := v.workbench("", "flows:write"); err != nil {
		return err
	}
	in, err := v.gates("")
	if err != nil {
		return err
	}
	var ready list[flowTemplate]
	if err := v.act("FLOW.TEMPLATE_LIST", nil, &ready); err != nil {
		return err
	}
	return v.show("newflow", "New flow", flowsData{gates: in, Templates: ready.Items})
}

func (v *visit) createFlow() error {
	var made struct {
		Flow gate `json:"flow"`
	}
	p := params{"name": v.form.text("name"), "template": v.form.text("template")}
	p.text("description", v.form.text("description")).text("scope", v.scope())
	if err := v.act("FLOW.CREATE", p, &made); err != nil {
		return v.retry(err, (*visit).newFlow, "name", "template", "description")
	}
	return v.done("The flow was made. It decides nothing until you enable it.", made.Flow.Path())
}

// flowData is what the page of a flow shows.
type flowData struct {
	gates

	Flow    gate
	Drawing diagram.Diagram
	// Current is the version in force, which Flow may be older than.
	Current  int
	Versions []flowVersion
	Runs     []pastRun
	// Parts are the fields of a test, Mocks those of what the nodes find that reach outside.
	Parts []testPart
	Mocks []blank
	// Tested is what a test came to; nil: there was none.
	Tested *tested
	// Refused reports whether enabling was, which may be meant all the same.
	Refused bool
}

// flowVersion is a version of a flow.
type flowVersion struct {
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	Changes   []string  `json:"changes"`
}

func (v *visit) flow() error { return v.flowWith(nil) }

// flowWith shows a flow, with what a test came to.
func (v *visit) flowWith(came *tested) error {
	in, err := v.gates("")
	if err != nil {
		return err
	}
	data := flowData{gates: in, Tested: came, Refused: v.form.Wrong() && v.r.URL.Path == flowsPath+"/enable"}
	name := v.id("name")
	var found struct {
		Flow gate `json:"flow"`
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

// version is that which the page or the form is about; what is no number is none.
func (v *visit) version(p params) {
	if sent := cmp.Or(v.form.text("version"), v.asked("version")); sent != "" {
		v.form.fill("version", sent)
		v.whole(p, "version")
	}
}

// turnFlow carries out a command on the flow of a form.
func (v *visit) turnFlow(command string, p params, said string) error {
	p["name"] = v.form.text("name")
	p.text("scope", v.scope())
	if err := v.act(command, p, nil); err != nil {
		return v.retry(err, (*visit).flow)
	}
	return v.done(said, gatePath(v.form.text("name"), v.scope()))
}

func (v *visit) enableFlow() error {
	p := params{}
	if v.form.Has("force", "1") {
		p["force"] = true
	}
	return v.turnFlow("FLOW.ENABLE", p, "The flow decides from now on.")
}

func (v *visit) disableFlow() error {
	return v.turnFlow("FLOW.DISABLE", params{}, "The flow decides nothing any more.")
}

func (v *visit) rollbackFlow() error {
	p := params{}
	v.whole(p, "version")
	return v.turnFlow("FLOW.ROLLBACK", p, "The older graph is in force again, as a new version.")
}

// testFlow runs a flow over what was made up, and lights the path.
func (v *visit) testFlow() error {
	var came tested
	p := params{"name": v.form.text("name")}.text("scope", v.scope())
	v.whole(p, "version")
	var found struct {
		Flow gate `json:"flow"`
	}
	if err := v.act("FLOW.GET", maps.Clone(p), &found); err != nil {
		return err
	}
	parts, err := v.testParts(found.Flow)
	if err != nil {
		return err
	}
	p["context"], p["mocks"] = v.madeUp(parts), v.mocked(found.Flow.Graph)
	if err := v.act("FLOW.TEST", p, &came); err != nil {
		if failure, ok := errors.AsType[*fault.Error](err); ok {
			return v.retry(aimed(failure), (*visit).flow, fieldsOf(parts)...)
		}
		return err
	}
	return v.flowWith(&came)
}
