package command

import (
	"bytes"
	"reflect"
	"strings"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/workspace"
)

// orgID is the parameter by which a call names the workspace that it acts in.
const orgID = "org_id"

// inWorkspace reports whether a rule requires a permission in a workspace.
func inWorkspace(rule access.Rule) bool {
	return rule.Permission() != "" && strings.HasPrefix(rule.String(), "permission:") && !access.IsInstance(rule.Permission())
}

// place derives the schema of the parameters. Commands that act in a workspace take org_id;
// the returned bool reports whether it was added here, in which case the handler does not see
// it.
func (d *Definition) place(params reflect.Type) (beside bool) {
	if !d.InWorkspace || params.Kind() != reflect.Struct || has(params, orgID) {
		d.Params = schema.Of(params)
		return false
	}
	fields := append(plain(params), reflect.StructField{
		Name: "OrgID", Type: reflect.TypeFor[workspace.ID](),
		Tag: `json:"org_id,omitzero" doc:"Workspace to act in. Defaults to the active workspace." example:"-"`,
	})
	d.Params = schema.Of(reflect.StructOf(fields))
	return true
}

// plain returns the fields of a struct as JSON has them, with those of embedded structs.
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

// Place returns the workspace that parameters, which conform to the schema, name to act in;
// "" for none. Most calls name none, and are not decoded: a name that is spelled with
// escapes holds a backslash.
func (d Definition) Place(raw []byte) workspace.ID {
	if !d.InWorkspace || !bytes.Contains(raw, []byte(orgID)) && bytes.IndexByte(raw, '\\') < 0 {
		return ""
	}
	var named struct {
		OrgID workspace.ID `json:"org_id"`
	}
	if strictjson.DecodeKnown(raw, &named) != nil {
		return ""
	}
	return named.OrgID
}
