package plan

import (
	"context"
	"reflect"
	"slices"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// The outputs of nodes that decide something.
const (
	yes = "true"
	no  = "false"
)

// Kind is a type of nodes.
type Kind struct {
	Type, Summary string
	// Outputs are the outputs of nodes; none if the run ends there.
	Outputs []string
	// Values reports whether edges may also name values.
	Values bool
	// Config is the schema of the configuration, Example one that fits it.
	Config  *schema.Schema
	Example flow.Config

	build func(b *builder, raw []byte) act
}

// act executes a node and returns its output.
type act func(ctx context.Context, r *run) (output string, err error)

// Kinds lists all types of nodes.
func Kinds() []Kind {
	return []Kind{
		start(), condition(), switching(), allowlist(), denylist(), riskScore(), rateLimit(), requireMFA(),
		requireAction(), setClaim(), setSession(), webhookCheck(), logging(), allowing(), denying(),
	}
}

// define makes a kind of nodes with a configuration C.
func define[C any](k Kind, build func(b *builder, config C) act) Kind {
	k.Config = schema.Of(reflect.TypeFor[C]())
	k.build = func(b *builder, raw []byte) act {
		var config C
		if found := k.Config.Validate(raw); found != nil {
			b.adopt(found)
			return nil
		}
		if err := strictjson.Decode(raw, &config); err != nil {
			b.adopt(fault.From(err).Fields)
			return nil
		}
		return build(b, config)
	}
	return k
}

func kindNamed(kinds []Kind, name string) (Kind, bool) {
	at := slices.IndexFunc(kinds, func(k Kind) bool { return k.Type == name })
	if at < 0 {
		return Kind{}, false
	}
	return kinds[at], true
}

func decided(holds bool) string {
	if holds {
		return yes
	}
	return no
}
