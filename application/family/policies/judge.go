package policies

import (
	"bytes"
	"maps"
	"slices"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/ports/outbound/ops"
)

// judge returns the policy in force once these values are stored. It fails like after.
func (s *Service) judge(p SetParams, values ops.PolicyValues) (Policy, error) {
	inForce, err := s.after(p, values)
	if err != nil {
		return nil, err
	}
	return show(p.Kind, inForce)
}

// after returns the policies in force once these values are stored. Those that make
// a workspace's looser than the instance's are refused by name; ones that were
// stored before are not, because the instance may have become stricter since.
func (s *Service) after(p SetParams, values ops.PolicyValues) (policy.Set, error) {
	set := map[policy.Kind]ops.PolicyValues{p.Kind: values}
	if p.OrgID == "" {
		own, err := instance.WithPolicies(policy.Defaults(), set)
		if err != nil {
			return own, err
		}
		return own, own.Risk.Check()
	}
	floor := s.Policies.Instance.State().Policies
	own, err := instance.WithPolicies(floor, set)
	if err != nil {
		return own, err
	}
	if err := own.Risk.Check(); err != nil {
		return own, err
	}
	outcome := floor.Stricter(own)
	return outcome, looser(p, own, outcome)
}

// looser fails with policy.ErrLooser, by name, where what a workspace wants is not what is in
// force after it.
func looser(p SetParams, own, outcome policy.Set) error {
	wanted, err := show(p.Kind, own)
	if err != nil {
		return err
	}
	inForce, err := show(p.Kind, outcome)
	if err != nil {
		return err
	}
	var refused []fault.Field
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		if !bytes.Equal(wanted[name], inForce[name]) {
			refused = append(refused, fault.Field{Path: "/values" + fault.Pointer(name), Message: policy.ErrLooser.Message})
		}
	}
	if refused != nil {
		refusal := *policy.ErrLooser
		refusal.Fields = refused
		return &refusal
	}
	return nil
}
