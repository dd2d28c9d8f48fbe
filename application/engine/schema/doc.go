// Package schema derives JSON Schemas (2020-12) from the parameter and result
// types of commands, and checks JSON against them.
//
// A type that has a method SchemaFragment() map[string]any describes itself. A
// struct becomes a closed object, one property per field under its json name:
//
//	Limit int      `json:"limit,omitzero" doc:"How many." jsonschema:"minimum=1,maximum=200,default=50"`
//	Name  *string  `json:"name"`                          // required, a string or null
//	Name  *string  `json:"name,omitzero"`                 // optional, a string
//	Name  *string  `json:"name,omitzero" nullable:"true"` // optional, a string or null
//
// The example of a schema contains every property, except those of the outermost struct
// that are tagged example:"-" because they cannot be combined with another one.
//
// The keywords of a jsonschema tag are those of invopop/jsonschema (enum and
// example may be repeated, a comma in a pattern is written \\,). On a list they apply
// to its items, except minItems, maxItems and uniqueItems. A keyword that would be
// ignored is an error, and so is a field without a doc tag.
//
// # Decision
//
// Context: invopop/jsonschema overflows the stack on recursive types, panics on
// others and ignores keywords it does not know. A validator such as
// santhosh-tekuri/jsonschema validates a whole document before it returns, so that a
// megabyte of wrong items costs hundreds of megabytes of errors. Its messages quote the
// value, and it supports neither suggestions of similar names nor value objects.
// Choice: invopop is given one struct at a time, after its fields were checked.
// Documents are validated here, as a stream that ends after fifty errors, by the few
// keywords that our schemas use; any other keyword is a mistake in the type.
// The library's validator is used in tests alone, which check that both agree, on a type
// with every keyword and on the parameters of every command.
// What would change our mind: a validator that streams, can stop early and leaves the
// messages to its caller.
package schema
