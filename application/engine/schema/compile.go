package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// compile returns the tree of nodes that validates documents of a type.
func compile(document []byte, t reflect.Type) (*node, error) {
	tree, err := parse(document)
	if err != nil {
		return nil, err
	}
	return plan(tree, t)
}

// parse decodes the document of a schema.
func parse(document []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("read back: %w", err)
	}
	return tree, nil
}
