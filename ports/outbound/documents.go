package outbound

// Documents writes JSON as YAML and reads it back, for what people keep in files.
type Documents interface {
	// ToYAML writes a JSON document as YAML, members in their order.
	ToYAML(document []byte) (string, error)
	// FromYAML reads one document of YAML, or JSON, which is YAML too.
	FromYAML(text string) ([]byte, error)
}
