package payment

import "github.com/go-json-experiment/json"

// Marks are our entries in the metadata of an object of a processor. Others may write arbitrary JSON there:
// only the strings of an object are kept.
type Marks map[string]string

// MarksOf returns the marks in metadata that a library decoded.
func MarksOf(metadata any) Marks {
	marks := Marks{}
	all, _ := metadata.(map[string]any)
	for name, value := range all {
		if text, ok := value.(string); ok {
			marks[name] = text
		}
	}
	return marks
}

// UnmarshalJSON implements json.Unmarshaler. It ignores values other than the strings of an object.
func (m *Marks) UnmarshalJSON(data []byte) error {
	var all any
	if json.Unmarshal(data, &all) != nil {
		all = nil
	}
	*m = MarksOf(all)
	return nil
}

// Value returns the value that a pointer of a library points to, and the zero value for nil, which stands for
// a field that is null or absent.
func Value[T any](of *T) (value T) {
	if of != nil {
		value = *of
	}
	return value
}
