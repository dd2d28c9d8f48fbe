package flows

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/diagram"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/adapters/schema"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// verdict is the decision of a flow.
type verdict string

// Said returns a label for the decision.
func (d verdict) Said() string {
	switch flow.Decision(d) {
	case flow.Deny:
		return "Denied"
	case flow.RequireMFA:
		return "Second factor required"
	case flow.RequireAction:
		return "Action required"
	default:
		return "Allowed"
	}
}

// Good reports whether the decision is to allow.
func (d verdict) Good() bool { return flow.Decision(d) == flow.Allow }

// tested is the result of a test run.
type tested struct{ client.FlowTestResult }

// Decision returns the decision.
func (t tested) Decision() verdict { return verdict(t.FlowTestResult.Decision) }

// Claims returns the claims that the flow sets.
func (t tested) Claims() (map[string]jsontext.Value, error) {
	var claims map[string]jsontext.Value
	if len(t.FlowTestResult.Claims) == 0 {
		return nil, nil
	}
	err := json.Unmarshal(t.FlowTestResult.Claims, &claims)
	return claims, err
}

// steps returns the path to highlight; none for a nil test.
func (t *tested) steps() []diagram.Step {
	if t == nil {
		return nil
	}
	return stepsOf(t.Trace)
}

func stepsOf(trace []client.FlowPath) []diagram.Step {
	var steps []diagram.Step
	for _, one := range trace {
		steps = append(steps, diagram.Step{Node: one.Node, Output: one.Outcome})
	}
	return steps
}

// pastRun is a run of a flow.
type pastRun struct{ client.FlowRun }

// Decision returns the decision.
func (r pastRun) Decision() verdict { return verdict(r.FlowRun.Decision) }

// shownRuns is a table of runs, with or without flow names.
type shownRuns struct {
	Page  kit.Page
	Runs  []pastRun
	Named bool
}

// drawing is a named diagram.
type drawing struct {
	Name    string
	Drawing diagram.Diagram
}

// runsData is the data of the run history.
type runsData struct {
	flowSection

	Items    []pastRun
	More     string
	Decision string
}

// Decisions returns the values of the filter.
func (runsData) Decisions() []verdict {
	return []verdict{verdict(flow.Allow), verdict(flow.RequireMFA), verdict(flow.RequireAction), verdict(flow.Deny)}
}

func (v *visit) flowRuns() error {
	in, err := v.flowSection(runsTab)
	if err != nil {
		return err
	}
	const few = 20
	decision := v.Searched("decision")
	held, err := v.Me().FlowRunList(v.Context(), client.FlowRunListParams{
		Limit: new(few), Decision: client.Given(client.FlowDecision(decision)), Cursor: client.Given(v.Cursor()), OrgID: v.Org(),
	})
	if err != nil {
		return err
	}
	return v.Show("flowruns", "Runs", runsData{flowSection: in, Items: kit.Map(held.Items, func(one client.FlowRun) pastRun { return pastRun{one} }), More: held.NextCursor, Decision: decision})
}

// runData is the data of the page of a run.
type runData struct {
	flowSection

	Run     pastRun
	Trace   []client.FlowPath
	Context map[string]client.Raw
	// Flow and Drawing are the flow version that decided; empty if it no longer exists.
	Flow    flowEntry
	Drawing diagram.Diagram
}

// Facts returns the context of the run, by name.
func (d runData) Facts() []kit.Fact {
	var all []kit.Fact
	for _, part := range slices.Sorted(maps.Keys(d.Context)) {
		var fields map[string]any
		if json.Unmarshal(d.Context[part], &fields) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			value, isText := fields[name].(string)
			if !isText {
				raw, _ := json.Marshal(fields[name], json.Deterministic(true))
				value = string(raw)
			}
			if value != "" {
				all = append(all, kit.Fact{Name: part + "." + name, Value: value})
			}
		}
	}
	return all
}

func (v *visit) flowRun() error {
	in, err := v.flowSection(runsTab)
	if err != nil {
		return err
	}
	ran, err := v.Me().FlowRunGet(v.Context(), client.FlowRunGetParams{RunID: v.ID("run_id"), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data := runData{flowSection: in, Run: pastRun{ran.FlowRun}, Trace: ran.Path, Context: ran.ContextRedacted}
	of := client.FlowGetParams{Name: data.Run.Name, Scope: new(data.Run.Scope), Version: new(data.Run.Version), OrgID: v.Org()}
	if found, err := v.Me().FlowGet(v.Context(), of); err == nil {
		if data.Flow, err = entryOf(found.Flow); err != nil {
			return err
		}
		data.Drawing = diagram.Of(data.Flow.graph(), stepsOf(data.Trace))
	}
	return v.Show("flowrun", "Run of "+data.Run.Name, data)
}

// testPart is one object of the context and its form fields.
type testPart struct {
	Name   string
	Fields []kit.ParamField
	// Read reports whether the flow reads the object.
	Read bool
}

// testParts returns the parts of a trigger's context that a test can fill in.
func (v *visit) testParts(of flowEntry) ([]testPart, error) {
	triggers, err := v.Me().FlowTriggerList(v.Context(), client.FlowTriggerListParams{OrgID: v.Org()})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(of.graph())
	if err != nil {
		return nil, fmt.Errorf("write a graph: %w", err)
	}
	parts := []testPart{{Name: "call"}}
	for _, one := range triggers.Items {
		if one.Trigger != of.Trigger {
			continue
		}
		var context kit.Shape
		if err := json.Unmarshal(one.ContextSchema, &context); err != nil {
			return nil, fmt.Errorf("read the context of a trigger: %w", err)
		}
		for _, p := range context.Properties {
			switch {
			case p.Name == "trigger":
			case p.Shape.Is("object"):
				parts = append(parts, testPart{p.Name, within(p.Name+".", p.Shape.Properties), reads(of.graph(), string(text), p.Name)})
			default:
				parts[0].Fields = append(parts[0].Fields, within("", schema.Properties[kit.Shape]{p})...)
			}
		}
	}
	return parts, nil
}

// within returns the scalar fields of an object.
func within(prefix string, properties schema.Properties[kit.Shape]) []kit.ParamField {
	var fields []kit.ParamField
	for _, one := range properties {
		if one.Shape.Is("object") {
			continue
		}
		b := kit.ToParamField(prefix+one.Name, one.Shape)
		if standing := one.Shape.Default; len(standing) > 0 && standing.Kind() != '[' {
			b.Example = kit.InputText(standing)
		}
		fields = append(fields, b)
	}
	return fields
}

// reads reports whether a graph reads a part of the context, by an expression or by a
// node type.
func reads(g flow.Graph, text, part string) bool {
	by := map[string][]string{"ip": {"ip_allowlist", "ip_denylist", "rate_limit"}, "risk": {"risk_score"}}
	return strings.Contains(text, part+".") ||
		slices.ContainsFunc(g.Nodes, func(n flow.Node) bool { return slices.Contains(by[part], n.Type) })
}

// testContext returns the context filled in for a test.
func (v *visit) testContext(parts []testPart) kit.Params {
	context := kit.Params{}
	for _, part := range parts {
		for _, b := range part.Fields {
			value, _ := b.Value(v.Form.Values.Get(b.Field()))
			if value == nil {
				continue
			}
			object, name, inside := strings.Cut(b.Name, ".")
			if !inside {
				context[b.Name] = value
				continue
			}
			if context[object] == nil {
				context[object] = kit.Params{}
			}
			if fields, is := context[object].(kit.Params); is {
				fields[name] = value
			}
		}
	}
	return context
}

// fieldsOf returns the names of the fields of a test.
func fieldsOf(parts []testPart) []string {
	var names []string
	for _, part := range parts {
		for _, b := range part.Fields {
			names = append(names, b.Name)
		}
	}
	return names
}

// withTestFields translates the field paths of a failure from parameters to form fields.
func withTestFields(failure *fault.Error) error {
	said := *failure
	said.Fields = slices.Clone(failure.Fields)
	for i, one := range said.Fields {
		if below, of := strings.CutPrefix(one.Path, "/context/"); of {
			said.Fields[i].Path = "/" + strings.ReplaceAll(below, "/", ".")
		}
	}
	return &said
}

// mocksOf returns form fields for the results of nodes with external effects.
func mocksOf(g flow.Graph) []kit.ParamField {
	var all []kit.ParamField
	for _, n := range g.Nodes {
		switch n.Type {
		case "webhook_check":
			all = append(all, kit.ParamField{Name: n.ID, Widget: kit.AsChoice, Choices: []string{"allow", "deny"}, Description: "Your server's answer. Choose — for no answer."})
		case "rate_limit":
			all = append(all, kit.ParamField{Name: n.ID, Widget: kit.AsChoice, Choices: []string{"over"}, Description: "Whether the limit is exceeded. Choose — if it is not."})
		}
	}
	return all
}

// mocked returns the mocked results filled in for a test.
func (v *visit) mocked(g flow.Graph) kit.Params {
	found := kit.Params{}
	for _, b := range mocksOf(g) {
		switch chosen := v.Form.Text(b.Field()); chosen {
		case "":
		case "over":
			found[b.Name] = kit.Params{"over": true}
		default:
			found[b.Name] = kit.Params{"decision": chosen}
		}
	}
	return found
}
