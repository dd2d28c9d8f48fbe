package expression

import (
	"errors"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"gatehouse.internal/ports/outbound"
)

// prefix begins the names of the types of variables, which no expression can use.
const prefix = "variable."

// shapes provides cel-go with the types of variables beside those of the language.
type shapes struct {
	types.Provider

	fields map[string]map[string]*types.FieldType
	names  map[string][]string
}

func newShapes(over []outbound.Variable, base types.Provider) *shapes {
	s := &shapes{Provider: base, fields: map[string]map[string]*types.FieldType{}, names: map[string][]string{}}
	for _, variable := range over {
		if variable.Type != "" {
			continue
		}
		name := prefix + variable.Name
		s.fields[name] = map[string]*types.FieldType{}
		for _, field := range variable.Fields {
			s.fields[name][field.Name] = fieldType(field)
			s.names[name] = append(s.names[name], field.Name)
		}
	}
	return s
}

// fieldType returns the type of a field, and how it is read from a value.
func fieldType(field outbound.VariableField) *types.FieldType {
	return &types.FieldType{
		Type: celType(field.Type, ""),
		IsSet: func(target any) bool {
			object, ok := target.(map[string]any)
			return ok && object[field.Name] != nil
		},
		GetFrom: func(target any) (any, error) {
			object, ok := target.(map[string]any)
			if !ok {
				return nil, errors.New("null has no field " + field.Name)
			}
			return object[field.Name], nil
		},
	}
}

// celType returns the type of a field or a plain value, with the type of what it holds.
func celType(t, of outbound.VariableType) *cel.Type {
	switch t {
	case outbound.TextField:
		return cel.StringType
	case outbound.FlagField:
		return cel.BoolType
	case outbound.TextsField:
		return cel.ListType(cel.StringType)
	case outbound.TimeField:
		return cel.TimestampType
	case outbound.IntValue:
		return cel.IntType
	case outbound.UintValue:
		return cel.UintType
	case outbound.DoubleValue:
		return cel.DoubleType
	case outbound.DurationValue:
		return cel.DurationType
	case outbound.AddressValue:
		return addressType
	case outbound.ListValue:
		return cel.ListType(celType(of, ""))
	case outbound.MapValue:
		return cel.MapType(cel.StringType, celType(of, ""))
	case outbound.AnyField:
	}
	return cel.DynType
}

// FindStructType finds the type of a variable, as the type of a type.
func (s *shapes) FindStructType(name string) (*types.Type, bool) {
	if _, known := s.fields[name]; known {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return s.Provider.FindStructType(name)
}

// FindStructFieldNames lists the fields of a variable.
func (s *shapes) FindStructFieldNames(name string) ([]string, bool) {
	if names, known := s.names[name]; known {
		return names, true
	}
	return s.Provider.FindStructFieldNames(name)
}

// FindStructFieldType finds a field of a variable.
func (s *shapes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields, known := s.fields[name]; known {
		found, ok := fields[field]
		return found, ok
	}
	return s.Provider.FindStructFieldType(name, field)
}

func variableType(v outbound.Variable) *cel.Type {
	if v.Type != "" {
		return celType(v.Type, v.Of)
	}
	return cel.ObjectType(prefix + v.Name)
}

// environment makes what expressions over variables are compiled in.
func environment(over []outbound.Variable) (*cel.Env, error) {
	base, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	options := []cel.EnvOption{
		cel.CustomTypeAdapter(adapter{base}),
		cel.CustomTypeProvider(newShapes(over, base)),
		cel.ParserExpressionSizeLimit(maxSource),
		cel.ParserRecursionLimit(maxParsed),
		cel.RegexProgramSizeLimit(maxRegexp),
	}
	for _, variable := range over {
		options = append(options, cel.Variable(variable.Name, variableType(variable)))
	}
	return cel.NewEnv(append(options, functions()...)...)
}

// key identifies the variables of a shape.
func key(over []outbound.Variable) string {
	var text strings.Builder
	for _, variable := range over {
		text.WriteString(variable.Name + ":" + string(variable.Type) + "<" + string(variable.Of) + ">{")
		for _, field := range variable.Fields {
			text.WriteString(field.Name + ":" + string(field.Type) + ";")
		}
		text.WriteString("}")
	}
	return text.String()
}
