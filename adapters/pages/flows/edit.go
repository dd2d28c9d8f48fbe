package flows

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// editFlow shows the form to change the graph and the description of a flow.
func (v *visit) editFlow() error {
	in, found, err := v.ownFlow()
	if err != nil {
		return err
	}
	if v.Form.Values == nil {
		nodes, err := json.Marshal(found.Flow.Nodes, jsontext.WithIndent("  "))
		if err != nil {
			return fmt.Errorf("write the nodes of a flow: %w", err)
		}
		edges, err := json.Marshal(found.Flow.Edges, jsontext.WithIndent("  "))
		if err != nil {
			return fmt.Errorf("write the edges of a flow: %w", err)
		}
		v.Form.Fill("description", found.Description)
		v.Form.Fill("nodes", string(nodes))
		v.Form.Fill("edges", string(edges))
		v.Form.Fill("version", strconv.Itoa(found.Version))
	}
	return v.Show("editflow", "Edit "+found.Name, flowData{flowSection: in, Flow: found, Refused: v.Form.Message != "" && found.Enabled})
}

// ownFlow returns a flow that the person may change.
func (v *visit) ownFlow() (flowSection, flowEntry, error) {
	if _, err := v.Permitted("", "flows:write"); err != nil {
		return flowSection{}, flowEntry{}, err
	}
	in, err := v.flowSection("")
	if err != nil {
		return in, flowEntry{}, err
	}
	found, err := v.Me().FlowGet(v.Context(), client.FlowGetParams{Name: v.ID("name"), Scope: client.Given(client.FlowScope(in.Scope)), OrgID: v.Org()})
	return in, flowEntry{Flow: found.Flow}, err
}

// updateFlow puts another graph in force. It fails if somebody else has changed the flow
// since the form was shown.
func (v *visit) updateFlow() error {
	p := kit.Params{"name": v.Form.Text("name"), "description": v.Form.Text("description")}.Text("scope", v.scope())
	for _, part := range []string{"nodes", "edges"} {
		sent := jsontext.Value(v.Form.Secret(part))
		if !sent.IsValid() {
			return v.Complain(v.editFlow, part, "This is not valid JSON. Look for a missing comma, quote or bracket.")
		}
		p[part] = sent
	}
	if version, err := strconv.Atoi(v.Form.Text("version")); err == nil {
		p["expected_version"] = version
	}
	if v.Form.Has("force", "1") {
		p["force"] = true
	}
	if err := v.Act("FLOW.UPDATE", p, nil); err != nil {
		return v.Retry(err, v.editFlow, "nodes", "edges", "description")
	}
	return v.Done("The flow was updated.", flowPath(v.Form.Text("name"), v.scope()))
}

// askFlow asks for confirmation before a flow is deleted.
func (v *visit) askFlow() error {
	in, found, err := v.ownFlow()
	if err != nil {
		return err
	}
	text := "This deletes the flow with all its versions. This cannot be undone."
	if found.Enabled {
		text = "The flow is enabled and stops deciding immediately. " + text
	}
	return v.Show("question", "Delete this flow?", kit.Question{
		Name: found.Name, Text: text, Action: flowsPath + "/delete" + in.In(), Field: "name", Value: found.Name, Button: "Delete flow", Back: found.Path(), Org: in.Org,
	})
}

func (v *visit) deleteFlow() error {
	to := flowsPath
	if v.scope() == ofInstance {
		to += "?scope=" + ofInstance
	}
	if _, err := v.Me().FlowDelete(v.Context(), client.FlowDeleteParams{Name: v.Form.Text("name"), Scope: client.Given(client.FlowScope(v.scope())), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.flow)
	}
	return v.Done("The flow was deleted.", to)
}
