package relations

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
)

// mostContext bounds the values that a tuple gives its condition, in bytes of JSON.
const mostContext = 4 << 10

// WriteTuple is a tuple to write.
type WriteTuple struct {
	Object    relation.Object  `json:"object" doc:"Object that the subject is related to, as type:id."`
	Relation  relation.Name    `json:"relation" doc:"Relation that the model defines for the type of the object. It must accept tuples."`
	Subject   relation.Subject `json:"subject" doc:"Subject that is related: a user (user:usr_…), everybody of a type (user:*), subjects with a relation to another object (team:1#member), or the members of a group of this workspace (group:grp_…#member)."`
	Condition *Condition       `json:"condition,omitzero" doc:"Condition that must hold for the tuple to count. Required if the model asks for one." example:"-"`
	ExpiresAt time.Time        `json:"expires_at,omitzero" doc:"Time at which the tuple expires. Omit for a tuple that never expires." example:"-"`
}

// WriteParams are the parameters of RELATION.WRITE.
type WriteParams struct {
	Tuples []WriteTuple `json:"tuples" doc:"Tuples to write. Existing tuples get the given condition and expiry." jsonschema:"minItems=1,maxItems=100"`
}

// WriteResult is the result of RELATION.WRITE.
type WriteResult struct {
	Written  int    `json:"written" doc:"Number of new or changed tuples."`
	Revision string `json:"revision" doc:"Revision of the workspace's relations after the write. Use it as at_least of a check."`
}

func (s *Service) write() command.Definition {
	return command.Define(command.Spec[WriteParams, WriteResult]{
		Name:    "RELATION.WRITE",
		Summary: "Write relation tuples.",
		Description: "Each tuple states that a subject has a relation to an object. All tuples are written, or none. You can write up to 100 " +
			"tuples per call.\n\n" +
			"Tuples must fit the model of the workspace. Writing a tuple that exists is not an error.",
		Access: access.Holding(write),
		Effect: command.Writes,
		Emits:  []event.Kind{relation.KindWritten},
		Handle: func(ctx context.Context, call command.Call, p WriteParams) (WriteResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return WriteResult{}, err
			}
			tuples, keys, err := p.tuples(s.Clock.Now())
			if err != nil {
				return WriteResult{}, err
			}
			var result WriteResult
			err = s.Unit.Do(ctx, func(tx Repos) error {
				changed, err := s.put(ctx, tx, org, tuples)
				if err != nil {
					return err
				}
				result = WriteResult{changed.count, changed.revision.String()}
				if changed.count == 0 {
					return nil
				}
				return tx.Events.Record(ctx, relation.Written{OrgID: org, Revision: result.Revision, Tuples: texts(keys)})
			})
			return result, err
		},
	})
}

// put stores tuples that fit. It holds their groups before the relations, as the deletion
// of a group does.
func (s *Service) put(ctx context.Context, tx Repos, org workspace.ID, tuples []relation.Tuple) (change, error) {
	has, err := tx.Groups.Hold(ctx, org, groups(tuples))
	if err != nil {
		return change{}, err
	}
	return s.changing(ctx, tx, org, func(m *relation.Model) (int, error) {
		if err := fitting(m, has, tuples); err != nil {
			return 0, err
		}
		return tx.Relations.Put(ctx, org, tuples)
	})
}

// tuples returns those to write, each once.
func (p WriteParams) tuples(now time.Time) (all []relation.Tuple, keys []relation.Key, err error) {
	var faults []fault.Field
	seen := map[relation.Key]relation.Tuple{}
	for i, given := range p.Tuples {
		t, refused := given.tuple(now)
		before, twice := seen[t.Key]
		switch {
		case refused != nil:
			faults = under(item("tuples", i), faults, refused)
		case twice && before != t:
			faults = append(faults, fault.Field{Path: item("tuples", i), Message: "repeats an earlier tuple with a different condition or expiry"})
		case !twice:
			seen[t.Key] = t
			all, keys = append(all, t), append(keys, t.Key)
		}
	}
	if faults != nil {
		return nil, nil, fault.Refuse(faults...)
	}
	return all, keys, nil
}

func (p WriteTuple) tuple(now time.Time) (relation.Tuple, *fault.Error) {
	made := relation.Tuple{
		Key: relation.Key{Object: p.Object, Relation: string(p.Relation), Subject: p.Subject}, ExpiresAt: p.ExpiresAt, WrittenAt: now,
	}
	if !p.ExpiresAt.IsZero() && !p.ExpiresAt.After(now) {
		return made, fault.Unfit("/expires_at", "must be in the future")
	}
	if p.Condition == nil {
		return made, nil
	}
	made.Condition = p.Condition.Name
	if len(p.Condition.Context) > 0 {
		text, err := json.Marshal(p.Condition.Context, json.Deterministic(true))
		if err != nil || len(text) > mostContext {
			return made, fault.Unfit("/condition/context", "must be at most 4 KiB")
		}
		made.Context = string(text)
	}
	return made, nil
}
