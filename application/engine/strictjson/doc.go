// Package strictjson encodes and decodes JSON according to RFC 7493: one value, valid
// UTF-8, no duplicate names in an object, and nothing after it. encoding/json accepts
// all of these silently, and parsers that disagree about a body are a way around
// checks. Error messages never contain values, because bodies contain passwords.
//
// # Decision: the library
//
// Context: parameters are small and decoded for every call, after the inbound adapter
// has checked the syntax, size and depth of the body. Choice:
// github.com/go-json-experiment/json, the origin of encoding/json/v2. What
// would change our mind: encoding/json/v2 leaving its experiment; then only imports change.
package strictjson
