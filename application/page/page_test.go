package page_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gatehouse.internal/application/page"
	"gatehouse.internal/domain/mac"
)

func TestPagesWalkTheWholeListOnce(t *testing.T) {
	t.Parallel()
	cursors := page.Cursors{Key: mac.New([]byte("key"))}
	all := []int{9, 8, 7, 6, 5, 4, 3, 2, 1}
	for _, size := range []int{1, 2, 3, 8, 9, 10} {
		var seen []int
		params := page.Params{Limit: size}
		for range len(all) + 1 {
			position, err := cursors.List("LIST", params).Position()
			if err != nil {
				t.Fatal(err)
			}
			rest := all
			if position != "" {
				rest = all[slices.IndexFunc(all, func(n int) bool { return fmt.Sprint(n) == position })+1:]
			}
			read := rest[:min(len(rest), params.Size()+1)]
			got := page.Cut(cursors.List("LIST", params), read, func(n int) string { return fmt.Sprint(n) }, func(n int) int { return n })
			seen = append(seen, got.Items...)
			if got.NextCursor == nil {
				break
			}
			params.Cursor = *got.NextCursor
		}
		if !slices.Equal(seen, all) {
			t.Errorf("pages of %d gave %v", size, seen)
		}
	}
}

func TestForgedCursors(t *testing.T) {
	t.Parallel()
	cursors := page.Cursors{Key: mac.New([]byte("key"))}
	cut := func(c page.Cursors, scope string) string {
		made := page.Cut(c.List(scope, page.Params{Limit: 1}), []string{"usr_2", "usr_1"}, func(s string) string { return s }, func(s string) string { return s })
		return *made.NextCursor
	}
	good := cut(cursors, "USER.LIST")
	for name, forged := range map[string]string{
		"another list's": cut(cursors, "SESSION.LIST"), "another key's": cut(page.Cursors{Key: mac.New([]byte("other"))}, "USER.LIST"),
		"truncated": good[:len(good)-2], "altered": "AAAA" + good[4:], "text": "usr_1", "short": "AAAA", "padded": good + "==",
	} {
		if _, err := cursors.List("USER.LIST", page.Params{Cursor: forged}).Position(); !errors.Is(err, page.ErrCursor) {
			t.Errorf("%s: Read() = %v, want ErrCursor", name, err)
		}
	}
	if got, err := cursors.List("USER.LIST", page.Params{Cursor: good}).Position(); err != nil || got != "usr_2" {
		t.Errorf("Read() = %q, %v, want usr_2", got, err)
	}
}
