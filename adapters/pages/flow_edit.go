package pages

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// editFlow shows the form to change the graph and the description of a flow.
func (v *visit) editFlow() error {
	in, found, err := v.ownFlow()
	if err != nil {
		return err
	}
	if v.form.values == nil {
		nodes, err := json.Marshal(found.Nodes, jsontext.WithIndent("  "))
		if err != nil {
			return fmt.Errorf("write the nodes of a flow: %w", err)
		}
		edges, err := json.Marshal(found.Edges, jsontext.WithIndent("  "))
		if err != nil {
			return fmt.Errorf("write the edges of a flow: %w", err)
		}
		v.form.fill("description", found.Description)
		v.form.fill("nodes", string(nodes))
		v.form.fill("edges", string(edges))
		v.form.fill("version", strconv.Itoa(found.Version))
	}
	return v.show("editflow", "Edit "+found.Name, flowData{flowSection: in, Flow: found, Refused: v.form.Message != "" && found.Enabled})
}

// ownFlow returns a flow that the person may change.
func (v *visit) ownFlow() (flowSection, flowEntry, error) {
	var found struct {
		Flow flowEntry `json:"flow"`
	}
	if _, err := v.workspaceForm("", "flows:write"); err != nil {
		return flowSection{}, found.Flow, err
	}
	in, err := v.flowSection("")
	if err == nil {
		err = v.act("FLOW.GET", params{"name": v.id("name")}.text("scope", in.Scope), &found)
	}
	return in, found.Flow, err
}

// updateFlow puts another graph in force. It fails if somebody else has changed the flow
// since the form was shown.
func (v *visit) updateFlow() error {
	p := params{"name": v.form.text("name"), "description": v.form.text("description")}.text("scope", v.scope())
	for _, part := range []string{"nodes", "edges"} {
		sent := jsontext.Value(v.form.secret(part))
		if !sent.IsValid() {
			return v.complain((*visit).editFlow, part, "This is not valid JSON. Look for a missing comma, quote or bracket.")
		}
		p[part] = sent
	}
	if version, err := strconv.Atoi(v.form.text("version")); err == nil {
		p["expected_version"] = version
	}
	if v.form.Has("force", "1") {
		p["force"] = true
	}
	if err := v.act("FLOW.UPDATE", p, nil); err != nil {
		return v.retry(err, (*visit).editFlow, "nodes", "edges", "description")
	}
	return v.done("The flow was updated.", flowPath(v.form.text("name"), v.scope()))
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
	return v.show("question", "Delete this flow?", question{
		Name: found.Name, Text: text, Action: flowsPath + "/delete" + in.In(), Field: "name", Value: found.Name, Button: "Delete flow", Back: found.Path(), Org: in.Org,
	})
}

func (v *visit) deleteFlow() error {
	to := flowsPath
	if v.scope() == ofInstance {
		to += "?scope=" + ofInstance
	}
	if err := v.act("FLOW.DELETE", params{"name": v.form.text("name")}.text("scope", v.scope()), nil); err != nil {
		return v.retry(err, (*visit).flow)
	}
	return v.done("The flow was deleted.", to)
}
