package event

// Change is the change of a configuration object by an event: its state before and
// after as JSON, nil for none. Secrets are in neither.
type Change struct {
	// Object is the identifier of the changed object; empty for singletons.
	Object        string
	Before, After []byte
	// Altered reports whether the states in the store were manipulated and cannot be
	// read: both are null.
	Altered bool
}
