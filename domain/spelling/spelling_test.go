package spelling_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/spelling"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"AUTH.LOGIN", "AUTH.LOGOUT", "USER.ME", "id", "email"}
	for typed, want := range map[string]string{
		"AUTH.LOGIM": "AUTH.LOGIN", "auth.login": "AUTH.LOGIN", "USER.MEE": "USER.ME", "emial": "email", "i": "id",
		"": "", "x": "", "password": "", "USER.": "USER.ME", "AUTH.LOGON": "AUTH.LOGIN",
		strings.Repeat("a", 200): "",
	} {
		if got, near := spelling.Nearest(typed, names); got != want || near != (want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", typed, got, near, want)
		}
	}
	if got := spelling.Hint("emial", names); got != "; did you mean email?" {
		t.Errorf("Hint() = %q", got)
	}
	if got := spelling.Hint("nothing like it", names); got != "" {
		t.Errorf("Hint() = %q, want none", got)
	}
}
