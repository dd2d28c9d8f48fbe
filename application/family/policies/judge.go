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

// judge returns the policy in force once these values are stored. Those that make
// a workspace's looser than the instance's are refused by name; ones that were
// stored before are not, because the instance may have become stricter since.
func (s *Service) judge(p SetParams, values ops.PolicyValues) (Policy, error) {
	set := map[policy.Kind]ops.PolicyValues{p.Kind: values}
	if p.OrgID == "" {
		own, err := instance.WithPolicies(policy.Defaults(), set)
		if err != nil {
			return nil, err
		}
		return show(p.Kind, own)
	}
	floor := s.Policies.Instance.State().Policies
	own, err := instance.WithPolicies(floor, set)
	if err != nil {
		return nil, err
	}
	wanted, err := show(p.Kind, own)
	if err != nil {
		return nil, err
	}
	inForce, err := show(p.Kind, floor.Stricter(own))
	if err != nil {
		return nil, err
	}
	var looser []fault.Field
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		if !bytes.Equal(wanted[name], inForce[name]) {
			looser = append(looser, fault.Field{Path: "/values" + fault.Pointer(name), Message: policy.ErrLooser.Message})
		}
	}
	if looser != nil {
		refusal := *policy.ErrLooser
		refusal.Fields = looser
		return nil, &refusal
	}
	return inForce, nil
}
