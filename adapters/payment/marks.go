package payment

import "github.com/go-json-experiment/json"

// Marks are the data by which an object of a processor says what of ours it is, where others
// may write anything there: of an object its strings, and nothing of anything else.
type Marks map[string]string

// UnmarshalJSON keeps the strings of an object.
func (m *Marks) UnmarshalJSON(data []byte) error {
	var all map[string]any
	if json.Unmarshal(data, &all) != nil {
		all = nil
	}
	*m = Marks{}
	for name, value := range all {
		if text, ok := value.(string); ok {
			(*m)[name] = text
		}
	}
	return nil
}
