// Package openapi describes the HTTP interface for tools: as an OpenAPI 3.1 document with one
// operation per command, and as a bundle of JSON Schemas (spec/surfaces.md section 1).
//
// What it says about a command comes from the catalog alone. The endpoints of protocols, whose
// form RFCs define, are listed in protocols.go.
package openapi
