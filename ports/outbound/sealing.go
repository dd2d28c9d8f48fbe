package outbound

// Sealer encrypts values at rest. Each is bound to its place: a value moved to
// another row or column does not open.
type Sealer interface {
	// Seal returns the stored form of a value. The place is "table/column/id".
	// An empty value stays empty.
	Seal(plain, place string) string
	// Open returns the value; it fails when the value was altered or moved,
	// or its key is not known.
	Open(sealed, place string) (string, error)
	// Stale reports whether a stored value is sealed under another key than the newest.
	Stale(sealed string) bool
}

// Blinder makes keyed hashes under which sealed values are found again.
type Blinder interface {
	// Index returns the blind index of a value; the label keeps columns apart.
	Index(label, value string) string
}
