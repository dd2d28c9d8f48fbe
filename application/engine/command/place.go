package command

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/workspace"
)

// orgID is the parameter by which a call names the workspace that it acts in.
const orgID = "org_id"

// inWorkspace reports whether a rule asks for a permission in a workspace.
func inWorkspace(rule access.Rule) bool {
	return rule.Permission() != "" && strings.HasPrefix(rule.String(), "permission:") && !access.IsInstance(rule.Permission())
}

// place derives the schema of the parameters. Those of a command that acts in a workspace
// have org_id, also where its struct does not: then no handler knows of it.
func (d *Definition) place(params reflect.Type) {
	if !d.InWorkspace || params.Kind() != reflect.Struct || has(params, orgID) {
		d.Params = schema.Of(params)
		return
	}
	fields := append(plain(params), reflect.StructField{
		Name: "OrgID", Type: reflect.TypeFor[workspace.ID](),
		Tag: `json:"org_id,omitzero" doc:"Workspace to act in; absent: the active one." example:"-"`,
	})
	d.Params = schema.Of(reflect.StructOf(fields))
	decode := d.decode
	d.decode = func(raw []byte) (any, error) {
		rest, err := without(raw, orgID)
		if err != nil {
			return nil, err
		}
		return decode(rest)
	}
}

// plain are the fields of a struct with those of embedded ones among them, as JSON has them.
func plain(of reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for i := range of.NumField() {
		field := of.Field(i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct && field.Tag.Get("json") == "" {
			fields = append(fields, plain(field.Type)...)
			continue
		}
		field.Offset, field.Index, field.Anonymous = 0, nil, false
		fields = append(fields, field)
	}
	return fields
}

func has(of reflect.Type, name string) bool {
	for _, field := range plain(of) {
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name {
			return true
		}
	}
	return false
}

// without takes a member out of an object.
func without(raw []byte, name string) ([]byte, error) {
	if !bytes.Contains(raw, []byte(name)) {
		return raw, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	delete(members, name)
	return json.Marshal(members)
}

// Place returns the workspace that parameters, which conform to the schema, name to act in;
// "" for none.
func (d Definition) Place(raw []byte) workspace.ID {
	if !d.InWorkspace || !bytes.Contains(raw, []byte(orgID)) {
		return ""
	}
	var named struct {
		OrgID workspace.ID `json:"org_id"`
	}
	if json.Unmarshal(raw, &named) != nil {
		return ""
	}
	return named.OrgID
}
