package workspace_test

import (
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/domain/workspace"
)

const org = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]workspace.Slug{
		"Analytical Engines": "analytical-engines", " --A&B, (Ltd.)-- ": "a-b-ltd", "42": "42", "a": "", "日本": "", "": "",
		"Łódź 7": "d-7", strings.Repeat("ab ", 40): workspace.Slug(strings.TrimRight(strings.Repeat("ab-", 16), "-")),
	} {
		if got := workspace.SlugOf(name); got != want {
			t.Errorf("SlugOf(%q) = %q, want %q", name, got, want)
		}
	}
}

// Every slug that is derived has the form of one, however long the name is.
func TestDerivedSlugsHaveTheForm(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(workspace.Slug("").SchemaFragment()["pattern"].(string))
	for _, slug := range []workspace.Slug{
		workspace.SlugOf(strings.Repeat("x-", 60)), workspace.SlugOf(strings.Repeat("x", 60)).Apart(org), workspace.SlugOf("日本").Apart(org),
		workspace.SlugOf(strings.Repeat("abcdefghi ", 9)).Apart(org),
		workspace.NewPersonal(org, "usr_1", "Personal workspace", now()).Snapshot().Slug,
		workspace.Restore(workspace.Snapshot{ID: org}, 1).Snapshot().Slug,
	} {
		if len(slug) > 48 || !form.MatchString(string(slug)) {
			t.Errorf("%q is no slug", slug)
		}
	}
	if got := workspace.SlugOf("Engines").Apart(org); got != "engines-cdefgh" {
		t.Errorf("Apart() = %q", got)
	}
}
