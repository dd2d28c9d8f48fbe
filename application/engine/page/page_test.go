package page_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/mac"
)

func TestPagesWalkTheWholeListOnce(t *testing.T) {
	t.Parallel()
	cursors := page.Cursors{Key: mac.New([]byte("key"))}
	all := []int{9, 8, 7, 6, 5, 4, 3, 2, 1}
	text, same := func(n int) string { return fmt.Sprint(n) }, func(n int) int { return n }
	for _, size := range []int{1, 2, 3, 8, 9, 10} {
		var seen []int
		params := page.Params{Limit: size}
		for range len(all) + 1 {
			got, err := page.Read(cursors.List("LIST", params), text, same, func(after string, most int) ([]int, error) {
				rest := all
				if after != "" {
					rest = all[slices.IndexFunc(all, func(n int) bool { return text(n) == after })+1:]
				}
				return rest[:min(len(rest), most)], nil
			})
			if err != nil {
				t.Fatal(err)
			}
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

func TestReadFails(t *testing.T) {
	t.Parallel()
	cursors := page.Cursors{Key: mac.New([]byte("key"))}
	same := func(s string) string { return s }
	broken := errors.New("broken")
	read := func(string, int) ([]string, error) { return []string{"a"}, broken }
	if got, err := page.Read(cursors.List("LIST", page.Params{}), same, same, read); !errors.Is(err, broken) || got.Items != nil {
		t.Errorf("Read() = %+v, %v, want the error of read", got, err)
	}
	if _, err := page.Read(cursors.List("LIST", page.Params{Cursor: "forged"}), same, same, read); !errors.Is(err, page.ErrCursor) {
		t.Errorf("Read() = %v, want ErrCursor", err)
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
