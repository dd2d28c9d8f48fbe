// Package client is the typed client of the commands: for each command the types of its
// parameters and its result, and a method. All other files are generated from the catalog;
// `make golden` rewrites them.
//
// # Decision: what a field is
//
// Context: a client has to tell an omitted parameter from an empty one and from null, and
// readers of results want plain values. Choice: an optional parameter is a pointer, or a list
// or map that is omitted if it is nil; one that may be null is Nullable. A member of a result
// that is missing or null is zero, except for objects, and for numbers and truth values that
// may be null, which are pointers. Enumerations are texts with constants, so that values of a
// later release are kept, and members that the client does not know are ignored. What has no
// schema is Raw. What would change our mind: commands whose results distinguish an empty text
// from null.
package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Transport executes commands.
type Transport interface {
	// Execute runs a command with its parameters as a JSON object, and returns its result
	// as JSON.
	Execute(ctx context.Context, command string, params []byte) ([]byte, error)
}

// Client calls the commands over a transport.
type Client struct{ Transport Transport }

// Raw is JSON that no schema describes.
type Raw = jsontext.Value

// ErrParams is the error of parameters that JSON cannot represent, such as invalid UTF-8.
var ErrParams = errors.New("invalid parameters")

// Do executes a command by name, and decodes its result; nil discards it. The methods of the
// commands are shorter.
func (c Client) Do(ctx context.Context, command string, params, result any) error {
	sent, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("write the parameters of %s: %w: %w", command, ErrParams, err)
	}
	data, err := c.Transport.Execute(ctx, command, sent)
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(data, result); err != nil {
		return fmt.Errorf("read the result of %s: %w", command, err)
	}
	return nil
}

// Given returns a pointer to an optional parameter, or nil if it is zero.
func Given[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// Nullable is an optional parameter that may be null. The zero value omits it; in a list or a map,
// it is null.
type Nullable[T any] struct {
	value T
	state state
}

type state int

const (
	omitted state = iota
	null
	set
)

// Set returns a parameter with a value.
func Set[T any](value T) Nullable[T] { return Nullable[T]{value, set} }

// Null returns a parameter that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: null} }

// IsZero reports whether the parameter is omitted.
func (n Nullable[T]) IsZero() bool { return n.state == omitted }

// MarshalJSONTo writes the value, or null.
func (n Nullable[T]) MarshalJSONTo(to *jsontext.Encoder) error {
	if n.state != set {
		return to.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(to, n.value)
}

// UnmarshalJSONFrom reads a value, or null.
func (n *Nullable[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	n.state = set
	if from.PeekKind() == 'n' {
		n.state = null
	}
	return json.UnmarshalDecode(from, &n.value)
}
