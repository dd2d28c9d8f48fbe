// Package schema derives JSON Schemas (2020-12) from the parameter and result
// types of commands, and checks JSON against them. It alone knows the two
// libraries this takes.
//
// A type that has a method SchemaFragment() map[string]any describes itself. A
// struct becomes a closed object, one property per field under its json name:
//
//	Limit int      `json:"limit,omitzero" doc:"How many." jsonschema:"minimum=1,maximum=200,default=50"`
//	Name  *string  `json:"name"`                          // required, a string or null
//	Name  *string  `json:"name,omitzero"`                 // optional, a string
//	Name  *string  `json:"name,omitzero" nullable:"true"` // optional, a string or null
//
// The example of a schema shows every property but those of the outermost struct
// that have the tag example:"-": what cannot be given together with another one.
//
// The keywords of a jsonschema tag are those of invopop/jsonschema (enum and
// example may be repeated, a comma in a pattern is written \\,); on a list they
// speak of its items, but for minItems, maxItems and uniqueItems. One that would
// be ignored is an error, and so is a field without a doc tag.
//
// # Decision
//
// Context: invopop/jsonschema overflows the stack on recursive types, panics on
// others and ignores keywords it does not know; santhosh-tekuri/jsonschema
// visits a whole document before it answers, so that a megabyte of wrong items
// costs hundreds of megabytes of complaints, and its texts quote the value.
// Choice: invopop is given one struct at a time, after its fields were examined.
// Validation walks objects and lists here, reading the JSON as a stream and
// stopping at fifty complaints, and decides plain strings, integers and
// booleans by itself; whatever else, and whatever seems wrong, the library
// judges, and a test holds both to the same verdicts. Messages are our own.
// What would change our mind: a validator that streams and can stop.
package schema
