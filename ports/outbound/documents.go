package outbound

// Documents converts JSON to YAML and back, for files that people edit.
type Documents interface {
	// ToYAML converts a JSON document to YAML, keeping the order of members.
	ToYAML(document []byte) (string, error)
	// FromYAML parses a YAML document; JSON is valid YAML.
	FromYAML(text string) ([]byte, error)
}
