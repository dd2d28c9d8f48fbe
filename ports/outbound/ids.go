package outbound

// IDs generates identifiers that sort by creation time.
type IDs interface {
	// Mint returns a TypeID with a prefix.
	Mint(prefix string) string
	// UUID returns a UUIDv7 (RFC 9562) in text form.
	UUID() string
}

// Random returns n bytes of the system's cryptographic random source.
type Random interface{ Bytes(n int) []byte }
