package outbound

// IDs mints identifiers that sort by creation.
type IDs interface {
	// Mint returns a TypeID with this prefix.
	Mint(prefix string) string
	// UUID returns a UUIDv7 in its plain form.
	UUID() string
}

// Random returns bytes of the system's cryptographic source.
type Random interface{ Bytes(n int) []byte }
