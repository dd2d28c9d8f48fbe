package relation

import (
	"maps"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Condition is an expression over parameters that a tuple depends on.
type Condition struct {
	Name string
	// Expression is in CEL.
	Expression string
	// Parameters are in the order of their names.
	Parameters []Parameter

	line int
}

// Parameter is a parameter of a condition.
type Parameter struct {
	Name string
	Type ValueType
	// Of is the type of the elements of a list or the values of a map.
	Of ValueType
}

// ValueType is the type of a parameter, in the words of the DSL.
type ValueType string

// The types of parameters.
const (
	AnyValue       ValueType = "any"
	BoolValue      ValueType = "bool"
	StringValue    ValueType = "string"
	IntValue       ValueType = "int"
	UintValue      ValueType = "uint"
	DoubleValue    ValueType = "double"
	DurationValue  ValueType = "duration"
	TimestampValue ValueType = "timestamp"
	AddressValue   ValueType = "ipaddress"
	ListValue      ValueType = "list"
	MapValue       ValueType = "map"
)

// ValueTypes lists the types of parameters.
func ValueTypes() []ValueType {
	return []ValueType{
		AnyValue, BoolValue, StringValue, IntValue, UintValue, DoubleValue, DurationValue, TimestampValue,
		AddressValue, ListValue, MapValue,
	}
}

// generic reports whether values of the type hold others.
func (t ValueType) generic() bool { return t == ListValue || t == MapValue }

func (p Parameter) String() string {
	if p.Type.generic() {
		return string(p.Type) + "<" + string(p.Of) + ">"
	}
	return string(p.Type)
}

// parameter finds a parameter by its name.
func (c *Condition) parameter(name string) (Parameter, bool) {
	for _, p := range c.Parameters {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}

// Values returns the parameters as Go values of their types; earlier contexts go before
// later ones, and names that are no parameters are left out. It fails with a
// *ConditionError where a parameter is absent, or its value not of its type.
func (c *Condition) Values(contexts ...map[string]any) (map[string]any, error) {
	values := make(map[string]any, len(c.Parameters))
	for _, p := range c.Parameters {
		value, given := first(p.Name, contexts)
		if !given {
			return nil, &ConditionError{c.Name, "missing context parameter " + p.Name}
		}
		cast, fits := p.cast(value)
		if !fits {
			return nil, &ConditionError{c.Name, p.Name + " must be of type " + p.String()}
		}
		values[p.Name] = cast
	}
	return values, nil
}

// first finds a value in the first context that has it.
func first(name string, contexts []map[string]any) (any, bool) {
	for _, context := range contexts {
		if value, given := context[name]; given {
			return value, true
		}
	}
	return nil, false
}

// Fixed fails with a *ConditionError unless all values of a tuple's own context are of
// parameters, and of their types.
func (c *Condition) Fixed(context map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(context)) {
		p, known := c.parameter(name)
		if !known {
			return &ConditionError{c.Name, "unknown context parameter"}
		}
		if _, fits := p.cast(context[name]); !fits {
			return &ConditionError{c.Name, name + " must be of type " + p.String()}
		}
	}
	return nil
}

// cast reads a value, as JSON has it, as one of the parameter's type.
func (p Parameter) cast(value any) (any, bool) {
	switch p.Type {
	case ListValue:
		return p.castList(value)
	case MapValue:
		return p.castMap(value)
	default:
		return p.Type.cast(value)
	}
}

func (p Parameter) castList(value any) (any, bool) {
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	made := make([]any, len(list))
	for i, item := range list {
		if made[i], ok = p.Of.cast(item); !ok {
			return nil, false
		}
	}
	return made, true
}

func (p Parameter) castMap(value any) (any, bool) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	made := make(map[string]any, len(object))
	for name, item := range object {
		if made[name], ok = p.Of.cast(item); !ok {
			return nil, false
		}
	}
	return made, true
}

func (t ValueType) cast(value any) (any, bool) {
	switch t {
	case AnyValue:
		return value, true
	case BoolValue:
		flag, ok := value.(bool)
		return flag, ok
	case StringValue:
		text, ok := value.(string)
		return text, ok
	case IntValue, UintValue, DoubleValue:
		return t.castNumber(value)
	case DurationValue, TimestampValue, AddressValue:
		text, ok := value.(string)
		if !ok {
			return nil, false
		}
		return t.castText(text)
	case ListValue, MapValue:
	}
	return nil, false
}

// castNumber reads a number, or a text that spells one: JSON has no integers beyond 2^53.
func (t ValueType) castNumber(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return t.castText(v)
	case float64:
		switch {
		case t == DoubleValue:
			return v, true
		case v != math.Trunc(v) || math.Abs(v) >= 1<<63:
			return nil, false
		case t == IntValue:
			return int64(v), true
		case v >= 0:
			return uint64(v), true
		}
	}
	return nil, false
}

func (t ValueType) castText(text string) (value any, ok bool) {
	const decimal, bits = 10, 64
	var err error
	switch t {
	case IntValue:
		value, err = strconv.ParseInt(text, decimal, bits)
	case UintValue:
		value, err = strconv.ParseUint(text, decimal, bits)
	case DoubleValue:
		value, err = strconv.ParseFloat(text, bits)
	case DurationValue:
		value, err = time.ParseDuration(text)
	case TimestampValue:
		value, err = time.Parse(time.RFC3339Nano, text)
	case AddressValue:
		value, err = netip.ParseAddr(text)
	default:
		return nil, false
	}
	return value, err == nil
}
