// Package strictjson reads and writes the JSON of the service. It takes exactly
// what RFC 7493 allows: one value, valid UTF-8, no name twice in an object,
// nothing behind it. encoding/json takes all of those silently, and two readers
// that disagree about one body are how checks are walked around. No message it
// makes quotes a value: bodies hold passwords.
//
// # Decision
//
// Context: parameters are small and read on every call, after the inbound adapter
// has taken them out of a body whose syntax, size and depth it checked. Choice:
// github.com/go-json-experiment/json, the twin of encoding/json/v2. What would
// change our mind: encoding/json/v2 leaving its experiment; then only imports change.
package strictjson
