package cli

import (
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// listPage is the data of a list.
type listPage struct {
	Items      []jsontext.Value `json:"items"`
	NextCursor *string          `json:"next_cursor"`
}

// largePages returns parameters that ask for the largest pages, unless they say how
// large. It fails if the command answers no pages.
func largePages(schema *shape, params jsontext.Value) (jsontext.Value, error) {
	if _, pages := schema.property("cursor"); !pages {
		return nil, usagef("--all only works for commands that return pages")
	}
	limit, limited := schema.property("limit")
	if !limited || limit.Maximum == nil {
		return params, nil
	}
	return change(params, func(members map[string]jsontext.Value) {
		if members["limit"] == nil {
			members["limit"] = jsontext.Value(limit.Maximum)
		}
	})
}

// change returns an object with changed members.
func change(object jsontext.Value, by func(members map[string]jsontext.Value)) (jsontext.Value, error) {
	members := map[string]jsontext.Value{}
	if err := jsonv2.Unmarshal(object, &members); err != nil {
		return nil, usagef("invalid parameters: %v", err)
	}
	by(members)
	changed, err := jsonv2.Marshal(members, jsonv2.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	return changed, nil
}

// pages prints all pages of a list, the first of which has been read: as one table on a
// terminal, else page by page.
func (a *app) pages(made called) error {
	made.request.key = ""
	if !a.Terminal || made.how.JSON || made.how.query != nil {
		return a.eachPage(made, func(answer reply, _ listPage) error { return a.show(answer, made.how) })
	}
	all := listPage{Items: []jsontext.Value{}}
	err := a.eachPage(made, func(_ reply, page listPage) error {
		all.Items = append(all.Items, page.Items...)
		return nil
	})
	if err != nil {
		return err
	}
	data, err := jsonv2.Marshal(all)
	if err != nil {
		return fmt.Errorf("encode the list: %w", err)
	}
	return a.printf("%s", a.render(data, made.how.Columns))
}

// eachPage calls a function with each page of a list.
func (a *app) eachPage(made called, do func(reply, listPage) error) error {
	for {
		data, err := dataOf(made.answer.envelope)
		if err != nil {
			return err
		}
		var page listPage
		if err := jsonv2.Unmarshal(data, &page); err != nil {
			return &unreachableError{cause: fmt.Errorf("read a page: %w", err)}
		}
		if err := do(made.answer, page); err != nil {
			return err
		}
		if page.NextCursor == nil || *page.NextCursor == "" {
			return nil
		}
		if err := a.turn(&made, *page.NextCursor); err != nil {
			return err
		}
	}
}

// turn reads the page of a cursor.
func (a *app) turn(made *called, cursor string) error {
	params, err := change(made.params, func(members map[string]jsontext.Value) {
		members["cursor"] = appendQuoted(nil, cursor)
	})
	if err != nil {
		return err
	}
	made.request.body = made.sent.body(made.how.called.Name, params)
	made.answer.envelope, err = a.insist(&made.request, made.how)
	return err
}
