package outbound

// Sealer encrypts values at rest. Each is bound to its place: a value moved to another
// row or column cannot be decrypted.
type Sealer interface {
	// Seal encrypts a value. The place is "table/column/id". An empty value stays
	// empty.
	Seal(plain, place string) string
	// Open decrypts a value. It fails if the value was altered or moved, or its key is
	// unknown.
	Open(sealed, place string) (string, error)
	// Stale reports whether a stored value is encrypted with a key other than the
	// newest.
	Stale(sealed string) bool
}

// Blinder computes keyed hashes (blind indexes) to look up encrypted values.
type Blinder interface {
	// Index returns the blind index of a value; different labels lead to different
	// indexes.
	Index(label, value string) string
}
