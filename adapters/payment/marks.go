package payment

import "github.com/go-json-experiment/json"

// Marks are the data by which an object of a processor says what of ours it is, where others
// may write anything there: of an object its strings, and nothing of anything else.
type Marks map[string]string

// MarksOf reads marks from what a library made of the JSON of them.
func MarksOf(told any) Marks {
	marks := Marks{}
	all, _ := told.(map[string]any)
	for name, value := range all {
		if text, ok := value.(string); ok {
			marks[name] = text
		}
	}
	return marks
}

// UnmarshalJSON keeps the strings of an object.
func (m *Marks) UnmarshalJSON(data []byte) error {
	var all any
	if json.Unmarshal(data, &all) != nil {
		all = nil
	}
	*m = MarksOf(all)
	return nil
}

// Value returns what a pointer of a library points to; the zero value for nil, which is what was
// null or left out.
func Value[T any](of *T) (value T) {
	if of != nil {
		value = *of
	}
	return value
}
