package event

// Change is what an event did to an object of configuration: its state before and after as
// JSON, nil where there was or is none. Secrets are in neither.
type Change struct {
	// Object is the identifier of what changed; empty for what there is one of.
	Object        string
	Before, After []byte
	// Altered reports whether somebody changed the states in the store, so that they cannot be
	// read any more: both are null.
	Altered bool
}
