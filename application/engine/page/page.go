// Package page implements paging of lists: by keyset, newest first, with an opaque,
// authenticated cursor (contract section 1).
package page

import (
	"crypto/hmac"
	"encoding/base64"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
)

// DefaultLimit is the size of a page when none is asked for.
const DefaultLimit = 50

const (
	macSize = 16
	tagSize = 8
)

// ErrCursor is returned for a cursor that this service did not make for this list.
var ErrCursor = fault.Invalid("/cursor", "invalid cursor: use next_cursor from the previous page of this list")

// Params are the parameters of every list; embed them.
type Params struct {
	Limit  int    `json:"limit,omitzero" doc:"Maximum number of items to return. Defaults to 50." jsonschema:"minimum=1,maximum=200"`
	Cursor string `json:"cursor,omitzero" doc:"Value of next_cursor from the previous page. Omit to get the first page." jsonschema:"maxLength=512" example:"-"`
}

// Size returns the limit asked for, or the default.
func (p Params) Size() int {
	if p.Limit == 0 {
		return DefaultLimit
	}
	return p.Limit
}

// PageCursor returns the cursor that was asked for, of whichever list.
func (p Params) PageCursor() string { return p.Cursor }

// Of is one page of items.
type Of[T any] struct {
	Items      []T     `json:"items" doc:"Items on this page, newest first."`
	NextCursor *string `json:"next_cursor" doc:"Cursor for the next page. Null on the last page."`
}

// Cursors makes and reads cursors.
type Cursors struct {
	// Key is a server key for the MAC.
	Key mac.Key
}

// List is one list as one caller pages through it.
type List struct {
	cursors Cursors
	scope   string
	params  Params
}

// List returns the list of a scope: the command's name and whatever else must not
// change between pages.
func (c Cursors) List(scope string, params Params) List {
	return List{cursors: c, scope: scope, params: params}
}

// Position returns the position in the cursor, "" without one. It fails with ErrCursor
// if the cursor does not belong to this list.
func (l List) Position() (string, error) {
	if l.params.Cursor == "" {
		return "", nil
	}
	tag, position, err := l.cursors.read(l.params.Cursor)
	if err != nil || !hmac.Equal(tag, l.cursors.tag(l.scope)) {
		return "", ErrCursor
	}
	return position, nil
}

// Check fails with ErrCursor if this service did not create the cursor, for any list.
// It needs only the cursor, so that forged ones are rejected before the store is
// accessed.
func (c Cursors) Check(cursor string) error {
	if cursor == "" {
		return nil
	}
	_, _, err := c.read(cursor)
	return err
}

// read decodes a cursor: a MAC over the rest, the list's tag, and the position.
func (c Cursors) read(cursor string) (tag []byte, position string, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder skips line ends: they would make another text of the same cursor.
	if err != nil || len(raw) <= macSize+tagSize || strings.ContainsAny(cursor, "\r\n") {
		return nil, "", ErrCursor
	}
	sum, signed := raw[:macSize], raw[macSize:]
	if !hmac.Equal(sum, c.Key.Sum(label.Cursor, string(signed))[:macSize]) {
		return nil, "", ErrCursor
	}
	return signed[:tagSize], string(signed[tagSize:]), nil
}

// tag returns the tag that distinguishes lists.
func (c Cursors) tag(scope string) []byte { return c.Key.Sum(label.List, scope)[:tagSize] }

func (c Cursors) write(scope, position string) *string {
	signed := append(c.tag(scope), position...)
	text := base64.RawURLEncoding.EncodeToString(append(c.Key.Sum(label.Cursor, string(signed))[:macSize], signed...))
	return &text
}

// Read returns a page of a list. It calls read for the items after a position ("" for
// the start), with a limit of one more than the page size. It fails with ErrCursor if
// the cursor does not belong to this list.
func Read[S, T any](l List, position func(S) string, show func(S) T, read func(after string, most int) ([]S, error)) (Of[T], error) {
	after, err := l.Position()
	if err != nil {
		return Of[T]{}, err
	}
	found, err := read(after, l.params.Size()+1)
	if err != nil {
		return Of[T]{}, err
	}
	return Cut(l, found, position, show), nil
}

// Next returns the cursor of the page after a position; nil after "", the end.
func (l List) Next(position string) *string {
	if position == "" {
		return nil
	}
	return l.cursors.write(l.scope, position)
}

// Cut makes a page of items that were read with one more than fits, so that
// whether there is a next page is known without counting.
func Cut[S, T any](l List, read []S, position func(S) string, show func(S) T) Of[T] {
	page := Of[T]{Items: make([]T, 0, len(read))}
	if size := l.params.Size(); len(read) > size {
		read = read[:size]
		page.NextCursor = l.Next(position(read[size-1]))
	}
	for _, item := range read {
		page.Items = append(page.Items, show(item))
	}
	return page
}
