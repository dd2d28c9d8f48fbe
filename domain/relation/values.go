package relation

// Name is the name of a relation as a parameter.
type Name string

// UnmarshalText reads an object; it fails with ErrObject.
func (o *Object) UnmarshalText(text []byte) (err error) {
	*o, err = ParseObject(string(text))
	return err
}

// UnmarshalText reads a subject; it fails with ErrSubject.
func (s *Subject) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSubject(string(text))
	return err
}

// UnmarshalText reads the name of a relation; it fails with ErrRelation.
func (n *Name) UnmarshalText(text []byte) error {
	read, err := ParseRelation(string(text))
	*n = Name(read)
	return err
}

// fragment describes a text of characters but white space in a JSON Schema.
func fragment(most int, pattern, example string) map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": most, "pattern": pattern, "examples": []any{example},
	}
}

// SchemaFragment describes an object in a JSON Schema.
func (Object) SchemaFragment() map[string]any {
	return fragment(mostObject, `^[^:#@*\s]+:[^:#\s]+$`, "document:1")
}

// SchemaFragment describes a subject in a JSON Schema.
func (Subject) SchemaFragment() map[string]any {
	return fragment(mostSubject, `^[^:#@*\s]+:[^:#\s]+(#[^:#@*\s]+)?$`, "user:usr_01jd7x9k2mf3q8v5t0abcdefgh")
}

// SchemaFragment describes the name of a relation in a JSON Schema.
func (Name) SchemaFragment() map[string]any {
	return fragment(mostRelation, `^[^:#@*\s]+$`, "viewer")
}
