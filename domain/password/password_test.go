package password_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
)

func TestComplaints(t *testing.T) {
	t.Parallel()
	owner := password.Owner{Email: "ada@example.com", Name: "Ada Lovelace"}
	rules := policy.Defaults().Password
	strong := policy.Password{MinLength: 12, MinScore: 3}
	tests := []struct {
		name   string
		plain  string
		judged password.Judgment
		rules  policy.Password
		want   []string
	}{
		{name: "eight characters do", plain: "wx7qkz2p", rules: rules},
		{name: "eight characters of any script do", plain: "пароль12", rules: rules},
		{name: "256 characters do", plain: strings.Repeat("é", 256), rules: rules},
		{name: "seven do not", plain: "wx7qkz2", rules: rules, want: []string{"too short"}},
		{name: "257 do not", plain: strings.Repeat("é", 257), rules: rules, want: []string{"too long"}},
		{name: "a common one does not", plain: "password1", judged: password.Judgment{Common: true}, rules: rules, want: []string{"among the most common passwords"}},
		{name: "the own address does not", plain: "ADA@example.com", rules: rules, want: []string{"your own email address or name"}},
		{name: "the own name does not", plain: " ada lovelace ", rules: rules, want: []string{"your own email address or name"}},
		{name: "a policy asks for more", plain: "wx7qkz2p", judged: password.Judgment{Score: 2}, rules: strong, want: []string{"too short", "too easy to guess"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := password.Complaints(secret.New(test.plain), owner, test.judged, test.rules); !slices.Equal(got, test.want) {
				t.Errorf("Complaints() = %v, want %v", got, test.want)
			}
		})
	}
}

func TestNormalComposes(t *testing.T) {
	t.Parallel()
	if got := password.Normal(secret.New("cafe\u0301")).Reveal(); got != "café" {
		t.Errorf("Normal() = %q, want the composed form", got)
	}
}
