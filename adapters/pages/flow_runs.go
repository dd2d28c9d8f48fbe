package pages

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/pages/diagram"
	"gatehouse.internal/adapters/schema"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// verdict is what a flow came to.
type verdict string

// Said returns the decision in words.
func (d verdict) Said() string {
	switch flow.Decision(d) {
	case flow.Deny:
		return "Denied"
	case flow.RequireMFA:
		return "Second factor"
	case flow.RequireAction:
		return "Something to do first"
	default:
		return "Allowed"
	}
}

// Good reports whether nothing was asked for.
func (d verdict) Good() bool { return flow.Decision(d) == flow.Allow }

// tested is what a test of a flow came to.
type tested struct {
	Decision verdict                   `json:"decision"`
	Reason   string                    `json:"reason"`
	Claims   map[string]jsontext.Value `json:"claims"`
	Trace    []ranNode                 `json:"trace"`
}

// ranNode is a node that ran.
type ranNode struct {
	Node    string  `json:"node"`
	Outcome string  `json:"outcome"`
	Detail  string  `json:"detail"`
	MS      float64 `json:"ms"`
}

// steps returns the path to light; of no test, none.
func (t *tested) steps() []diagram.Step {
	if t == nil {
		return nil
	}
	return stepsOf(t.Trace)
}

func stepsOf(trace []ranNode) []diagram.Step {
	var steps []diagram.Step
	for _, one := range trace {
		steps = append(steps, diagram.Step{Node: one.Node, Output: one.Outcome})
	}
	return steps
}

// pastRun is a run of a flow.
type pastRun struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Version   int       `json:"version"`
	Scope     string    `json:"scope"`
	Trigger   string    `json:"trigger"`
	UserID    string    `json:"user_id"`
	Decision  verdict   `json:"decision"`
	Reason    string    `json:"reason"`
	Claims    []string  `json:"claims"`
	CreatedAt time.Time `json:"created_at"`
}

// shownRuns are runs within a page, with their names or without.
type shownRuns struct {
	Page  page
	Runs  []pastRun
	Named bool
}

// drawing is a graph within a page.
type drawing struct {
	Name    string
	Drawing diagram.Diagram
}

// runsData is what the page of past runs shows.
type runsData struct {
	gates

	Items    []pastRun
	More     string
	Decision string
}

// Decisions returns those that runs can be looked for by.
func (runsData) Decisions() []verdict {
	return []verdict{verdict(flow.Allow), verdict(flow.RequireMFA), verdict(flow.RequireAction), verdict(flow.Deny)}
}

func (v *visit) flowRuns() error {
	in, err := v.gates(runsTab)
	if err != nil {
		return err
	}
	const few = 20
	decision := v.asked("decision")
	var held list[pastRun]
	p := params{"limit": few}.text("decision", decision).text("cursor", v.cursor())
	if err := v.act("FLOW.RUN_LIST", p, &held); err != nil {
		return err
	}
	return v.show("flowruns", "Runs", runsData{gates: in, Items: held.Items, More: held.NextCursor, Decision: decision})
}

// runData is what the page of a run shows.
type runData struct {
	gates

	Run     pastRun        `json:"flow_run"`
	Trace   []ranNode      `json:"path"`
	Context map[string]any `json:"context_redacted"`
	// Flow is its page, Drawing the graph that decided; empty where there is none any more.
	Flow    gate            `json:"-"`
	Drawing diagram.Diagram `json:"-"`
}

// Facts returns what the run saw, by name.
func (d runData) Facts() []fact {
	var all []fact
	for _, part := range slices.Sorted(maps.Keys(d.Context)) {
		fields, _ := d.Context[part].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			value, isText := fields[name].(string)
			if !isText {
				written, _ := json.Marshal(fields[name], json.Deterministic(true))
				value = string(written)
			}
			if value != "" {
				all = append(all, fact{part + "." + name, value})
			}
		}
	}
	return all
}

func (v *visit) flowRun() error {
	in, err := v.gates(runsTab)
	if err != nil {
		return err
	}
	data := runData{gates: in}
	if err := v.act("FLOW.RUN_GET", params{"run_id": v.id("run_id")}, &data); err != nil {
		return err
	}
	var found struct {
		Flow gate `json:"flow"`
	}
	of := params{"name": data.Run.Name, "scope": data.Run.Scope, "version": data.Run.Version}
	if v.act("FLOW.GET", of, &found) == nil {
		data.Flow, data.Drawing = found.Flow, diagram.Of(found.Flow.Graph, stepsOf(data.Trace))
	}
	return v.show("flowrun", "Run of "+data.Run.Name, data)
}

// testPart is one object of the context with the fields of a test about it.
type testPart struct {
	Name   string
	Fields []blank
	// Read reports whether the flow reads it.
	Read bool
}

// testParts returns what the trigger of a flow lets a test make up.
func (v *visit) testParts(of gate) ([]testPart, error) {
	var triggers list[struct {
		Trigger string `json:"trigger"`
		Schema  shape  `json:"context_schema"`
	}]
	if err := v.act("FLOW.TRIGGER_LIST", nil, &triggers); err != nil {
		return nil, err
	}
	text, err := json.Marshal(of.Graph)
	if err != nil {
		return nil, fmt.Errorf("write a graph: %w", err)
	}
	parts := []testPart{{Name: "call"}}
	for _, one := range triggers.Items {
		if one.Trigger != of.Trigger {
			continue
		}
		for _, p := range one.Schema.Properties {
			switch {
			case p.Name == "trigger":
			case p.Shape.is("object"):
				parts = append(parts, testPart{p.Name, within(p.Name+".", p.Shape.Properties), reads(of.Graph, string(text), p.Name)})
			default:
				parts[0].Fields = append(parts[0].Fields, within("", schema.Properties[shape]{p})...)
			}
		}
	}
	return parts, nil
}

// within returns the fields of an object; those that hold anything are left out.
func within(prefix string, properties schema.Properties[shape]) []blank {
	var fields []blank
	for _, one := range properties {
		if one.Shape.is("object") {
			continue
		}
		b := toBlank(prefix+one.Name, one.Shape)
		if standing := one.Shape.Default; len(standing) > 0 && standing.Kind() != '[' {
			b.Example = plainly(standing)
		}
		fields = append(fields, b)
	}
	return fields
}

// reads reports whether a graph reads a part of the context, by an expression or by what a
// node is.
func reads(g flow.Graph, text, part string) bool {
	by := map[string][]string{"ip": {"ip_allowlist", "ip_denylist", "rate_limit"}, "risk": {"risk_score"}}
	return strings.Contains(text, part+".") ||
		slices.ContainsFunc(g.Nodes, func(n flow.Node) bool { return slices.Contains(by[part], n.Type) })
}

// madeUp returns the context as it was filled in.
func (v *visit) madeUp(parts []testPart) params {
	context := params{}
	for _, part := range parts {
		for _, b := range part.Fields {
			value, _ := b.value(v.form.values.Get(b.Field()))
			if value == nil {
				continue
			}
			object, name, inside := strings.Cut(b.Name, ".")
			if !inside {
				context[b.Name] = value
				continue
			}
			if context[object] == nil {
				context[object] = params{}
			}
			if fields, is := context[object].(params); is {
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

// aimed names in a refusal the fields of the form in place of what the command was sent.
func aimed(failure *fault.Error) error {
	said := *failure
	said.Fields = slices.Clone(failure.Fields)
	for i, one := range said.Fields {
		if below, of := strings.CutPrefix(one.Path, "/context/"); of {
			said.Fields[i].Path = "/" + strings.ReplaceAll(below, "/", ".")
		}
	}
	return &said
}

// mocksOf returns the fields for what nodes find that reach outside.
func mocksOf(g flow.Graph) []blank {
	var all []blank
	for _, n := range g.Nodes {
		switch n.Type {
		case "webhook_check":
			all = append(all, blank{Name: n.ID, Widget: asChoice, Choices: []string{"allow", "deny"}, Description: "What your server answers; —: nothing."})
		case "rate_limit":
			all = append(all, blank{Name: n.ID, Widget: asChoice, Choices: []string{"over"}, Description: "Whether there were too many; —: there were not."})
		}
	}
	return all
}

// mocked returns what those nodes are to find.
func (v *visit) mocked(g flow.Graph) params {
	found := params{}
	for _, b := range mocksOf(g) {
		switch chosen := v.form.text(b.Field()); chosen {
		case "":
		case "over":
			found[b.Name] = params{"over": true}
		default:
			found[b.Name] = params{"decision": chosen}
		}
	}
	return found
}
