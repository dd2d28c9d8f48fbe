package command

import (
	"encoding/json"
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
)

// errors derives the possible error codes of a command from its declaration, in the
// order of the specification. It may include codes that never occur, since a handler
// may have reasons that no declaration contains.
func (d *Definition) errors() []fault.Code {
	takes := traitsOf(d.Params.JSON())
	return slices.DeleteFunc(fault.Codes(), func(code fault.Code) bool { return !mayAnswer(d, takes, code) })
}

func mayAnswer(d *Definition, takes traits, code fault.Code) bool {
	switch code {
	case fault.Validation, fault.RateLimited, fault.Internal:
		return true
	case fault.TokenExpired, fault.TokenInvalid:
		return d.Access.Honors()
	case fault.Auth:
		return d.Access.Honors() || (takes.secret && d.Effect != Reads)
	case fault.Denied:
		return !d.Access.Anonymous() && (takes.name || guarded(d) || !d.Access.TakesUnfinished()) || changesByParams(d)
	case fault.NotFound:
		return takes.name
	case fault.FlowBlocked:
		return d.Trigger != "" && !d.Quiet
	case fault.Unknown:
	}
	return false
}

// guarded reports whether the command demands more than an authenticated caller.
func guarded(d *Definition) bool { return d.Access.String() != "user" }

// changesByParams reports whether a policy of the instance may reject parameters, for
// example while registration is closed.
func changesByParams(d *Definition) bool {
	return d.Effect != Reads && !d.Params.Empty()
}

// traits describe the parameters of a command, at any depth.
type traits struct {
	// secret reports whether a parameter may be wrong, name whether one may name something
	// that does not exist.
	secret, name bool
}

// part holds the keywords of a schema that matter here.
type part struct {
	Properties map[string]part `json:"properties"`
	Items      *part           `json:"items"`
	Pattern    string          `json:"pattern"`
	WriteOnly  bool            `json:"writeOnly"`
}

func traitsOf(schema []byte) traits {
	var whole part
	if json.Unmarshal(schema, &whole) != nil {
		return traits{secret: true, name: true}
	}
	var found traits
	whole.look("", &found)
	return found
}

func (p part) look(name string, found *traits) {
	found.secret = found.secret || p.WriteOnly
	found.name = found.name || p.Pattern != "" || strings.HasSuffix(name, "id")
	for inner, property := range p.Properties {
		property.look(inner, found)
	}
	if p.Items != nil {
		p.Items.look(name, found)
	}
}
