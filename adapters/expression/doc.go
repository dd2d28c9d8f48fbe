// Package expression compiles and runs the expressions that administrators write
// in CEL, the Common Expression Language. It is the only package that knows cel-go.
//
// # Decision: a small language with typed variables
//
// Context: expressions are written by the administrators of one workspace and run
// in the service that all share, once for each token. Some functions of cel-go's
// extensions make texts that grow with each call (replace, format), which its cost
// does not count.
//
// Choice: the standard library of CEL and functions of our own: split and lowerAscii,
// whose cost is counted, and those for addresses that OpenFGA's conditions have. Regular expressions stand in the expression as
// they are, for one that is made while it runs may cost seconds to compile. A run
// ends when it has cost 2,000 units or its values count 100,000 elements, and a
// value may have 2 KiB of JSON. Before types are checked, loops and the size of types are
// bounded: an expression of 400 characters whose maps double in each loop would take
// hours to check. Variables are objects with known fields, so that a
// misspelled field is found when the expression is saved and not when a token lacks
// its claim.
//
// What would change our mind: a function that many ask for; it comes here, with
// its cost.
package expression
