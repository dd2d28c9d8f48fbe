package permissions

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

const (
	// together is how many members are asked about at once, and mostTimes how often that is
	// done for a page.
	together  = 200
	mostTimes = 10
)

// decided reports whether relations decide a check in the place of roles.
func (s *Service) decided(ctx context.Context, org workspace.ID, c Check) (bool, error) {
	if !c.single() {
		return false, nil
	}
	model, err := s.Relating.Current(ctx, org)
	if errors.Is(err, relation.ErrNoModel) {
		return false, nil
	}
	return err == nil && c.decidedBy(model), err
}

// relatives lists the members whom relations allow an action on one object. Each member is
// asked about as PERMISSION.CHECK does, so that the two never differ.
func (s *Service) relatives(ctx context.Context, org workspace.ID, p HolderListParams) (page.Of[Holder], error) {
	list := s.Cursors.List("PERMISSION.HOLDER_LIST|"+org.String()+"|"+p.Resource+":"+p.Action, p.Params)
	at, err := list.Position()
	if err != nil {
		return page.Of[Holder]{}, err
	}
	found, after := page.Of[Holder]{Items: []Holder{}}, user.ID(at)
	for range mostTimes {
		members, err := s.Rights.Members(ctx, org, after, together)
		if err != nil {
			return page.Of[Holder]{}, err
		}
		allowed, err := s.allowed(ctx, org, p.Check, members)
		if err != nil {
			return page.Of[Holder]{}, err
		}
		for _, m := range allowed {
			if len(found.Items) == p.Size() {
				found.NextCursor = list.Next(found.Items[len(found.Items)-1].UserID.String())
				return found, nil
			}
			found.Items = append(found.Items, Holder{UserID: m.User, Via: byRelation + p.Action})
		}
		if len(members) < together {
			return found, nil
		}
		after = members[len(members)-1].User
	}
	found.NextCursor = list.Next(after.String())
	return found, nil
}

// allowed returns those of some members whom relations allow what is asked; who is disabled
// may do nothing.
func (s *Service) allowed(ctx context.Context, org workspace.ID, c Check, members []workspaces.Member) ([]workspaces.Member, error) {
	model, err := s.Relating.Current(ctx, org)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	var questions []relation.Question
	var asked, may []workspaces.Member
	for _, m := range members {
		if question, fits := c.question(model, m.User); fits && m.Availability.Usable(now) {
			questions, asked = append(questions, question), append(asked, m)
		}
	}
	if len(questions) == 0 {
		return nil, nil
	}
	answer, err := s.Relating.Check(ctx, org, "", func(int) string { return "/resource" }, questions...)
	if err != nil {
		return nil, aboutResource(err)
	}
	for i, m := range asked {
		if answer.Allowed[i] {
			may = append(may, m)
		}
	}
	return may, nil
}
