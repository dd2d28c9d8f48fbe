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
// others and ignores keywords it does not know. A validator such as
// santhosh-tekuri/jsonschema visits a whole document before it answers, so that a
// megabyte of wrong items costs hundreds of megabytes of complaints, its texts quote
// the value, and it knows nothing of near matches and value objects.
// Choice: invopop is given one struct at a time, after its fields were examined.
// Documents are judged here, read as a stream that ends at fifty complaints, by the
// few keywords that our schemas use; one that is not judged is a mistake in the type.
// The validator stays in the tests, which hold both to the same verdicts, on a type
// with every keyword and on the parameters of every command. Messages are our own.
// What would change our mind: a validator that streams, can stop and words nothing.
package schema
