package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/ports/inbound"
)

// object is a JSON object.
type object map[string]any

// Source is what is described.
type Source struct {
	// Issuer is the public address of the instance, without a trailing slash.
	Issuer  string
	Version string
	// Commands are those to describe; Events are needed for [Schemas] only.
	Commands []inbound.Descriptor
	Events   []inbound.KindDescriptor
}

// pathExecute is the endpoint of all commands, and the parent of their addresses.
const pathExecute = "/api/v1/execute"

// Effects of commands, as the catalog names them.
const (
	effectNone  = "none"
	effectStore = "store"
)

const about = "Every command is an operation with an address of its own. All of them can be called through `POST " + pathExecute +
	"` as well, with the name in the body. Both have the same limits."

// Document returns an OpenAPI 3.1 document of the commands. It fails if a schema of the catalog
// is no JSON object.
func Document(from Source) (any, error) {
	paths, tags := protocols(from.Commands), []object{{"name": protocolTag, "description": "Endpoints of protocols, in the form of their specifications."}}
	for _, d := range from.Commands {
		described, err := operation(d)
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", d.Name, err)
		}
		paths[pathExecute+"/"+d.Name] = object{"post": described}
		if !slices.ContainsFunc(tags, func(tag object) bool { return tag["name"] == d.Family }) {
			tags = append(tags, object{"name": d.Family})
		}
	}
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "Gatehouse", "version": from.Version, "description": about},
		"servers": []object{{"url": from.Issuer}},
		"tags":    tags,
		"paths":   paths,
		"components": object{
			"securitySchemes": securitySchemes(from.Issuer), "responses": responses(), "headers": headers(),
			"parameters": parameters(), "schemas": schemas(),
		},
		"externalDocs": object{"url": from.Issuer + "/docs"},
	}, nil
}

// operation describes one command.
func operation(d inbound.Descriptor) (object, error) {
	params, err := embedded(d.Params)
	if err != nil {
		return nil, err
	}
	result, err := embedded(d.Result)
	if err != nil {
		return nil, err
	}
	if result, err = success(d, result); err != nil {
		return nil, err
	}
	described := object{
		"operationId": OperationID(d.Name), "tags": []string{d.Family}, "summary": strings.TrimSuffix(d.Summary, "."),
		"security":    security(d),
		"parameters":  references("parameters", parametersOf(d)...),
		"requestBody": body(params, d),
		"responses":   responsesOf(d, result),
		"x-effect":    d.Effect, "x-events": d.Events, "x-access": d.Access,
	}
	if d.Description != "" {
		described["description"] = d.Description
	}
	if permission, needed := strings.CutPrefix(d.Access, "permission:"); needed {
		described["x-permission"] = permission
	}
	if d.Scope != "" {
		described["x-scope"] = d.Scope
	}
	if d.Recent {
		described["x-recent-login"] = true
	}
	return described, nil
}

// OperationID returns the identifier of a command in camel case: teamDomainAdd for
// TEAM.DOMAIN_ADD.
func OperationID(command string) string {
	words := strings.FieldsFunc(strings.ToLower(command), func(r rune) bool { return r == '.' || r == '_' })
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// schema is a JSON Schema by its keywords.
type schema map[string]jsontext.Value

// embedded returns a schema of the catalog as a part of a document, whose root alone names the
// dialect (JSON Schema 2020-12, section 8.1.1).
func embedded(raw []byte) (schema, error) {
	var read schema
	if err := json.Unmarshal(raw, &read); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	delete(read, "$schema")
	return read, nil
}

// body describes the request body. It may be left out if no parameter is required.
func body(params schema, d inbound.Descriptor) object {
	content := object{"schema": params}
	var example struct {
		Params jsontext.Value `json:"params"`
	}
	if err := json.Unmarshal(d.Example, &example); err == nil && len(example.Params) > 0 {
		content["example"] = example.Params
	}
	_, required := params["required"]
	return object{"required": required, "content": object{"application/json": content}}
}

// parametersOf returns the names of the headers that a command takes.
func parametersOf(d inbound.Descriptor) []string {
	switch d.Effect {
	case effectNone:
		return []string{"RequestID"}
	case effectStore:
		return []string{"IdempotencyKey", "DryRun", "RequestID"}
	default:
		return []string{"IdempotencyKey", "RequestID"}
	}
}

// success returns the schema of data. A dry run adds a member to it.
func success(d inbound.Descriptor, result schema) (schema, error) {
	properties := map[string]jsontext.Value{}
	if d.Effect != effectStore || json.Unmarshal(result["properties"], &properties) != nil {
		return result, nil
	}
	properties["dry_run"] = jsontext.Value(`{"$ref":"#/components/schemas/DryRun"}`)
	encoded, err := json.Marshal(properties, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the properties of a result: %w", err)
	}
	extended := maps.Clone(result)
	extended["properties"] = encoded
	return extended, nil
}

func references(kind string, names ...string) []object {
	found := []object{}
	for _, name := range names {
		found = append(found, reference(kind, name))
	}
	return found
}

func reference(kind, name string) object {
	return object{"$ref": "#/components/" + kind + "/" + name}
}

// Schemas returns a bundle of JSON Schemas: of parameters and results by the name of the command,
// and of event data by the kind.
func Schemas(from Source) (any, error) {
	bundled := object{}
	add := func(name string, raw []byte) error {
		read, err := embedded(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		bundled[name] = read
		return nil
	}
	for _, d := range from.Commands {
		if err := add(d.Name+".params", d.Params); err != nil {
			return nil, err
		}
		if err := add(d.Name+".result", d.Result); err != nil {
			return nil, err
		}
	}
	for _, kind := range from.Events {
		if err := add(string(kind.Type), kind.Schema); err != nil {
			return nil, err
		}
	}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": from.Issuer + "/api/v1/schemas.json",
		"title": "Gatehouse " + from.Version, "$defs": bundled,
	}, nil
}
