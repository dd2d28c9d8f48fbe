package password_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/password"
)

func TestForm(t *testing.T) {
	t.Parallel()
	salt, key := strings.Repeat("s", 22), strings.Repeat("k", 43)
	for hash, want := range map[string]string{
		"":                   "",
		"hash":               "",
		"$":                  "",
		"$$":                 "$$0",
		"$x":                 "",
		"$argon2id$v=19$m=1": "$argon2id$v=19$3",

		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key:                "$argon2id$v=19$m=19456,t=2,p=1$22$43",
		"$2a$12$" + strings.Repeat("x", 53):                                 "$2a$12$53",
		"$2b$05$" + strings.Repeat("x", 53):                                 "$2b$05$53",
		"$scrypt$ln=17,r=8,p=1$" + salt + "$" + key:                         "$scrypt$ln=17,r=8,p=1$22$43",
		"$pbkdf2-sha256$29417$" + salt + "==$" + key + "=":                  "$pbkdf2-sha256$20000$22==$43=",
		"$pbkdf2-sha256$20000$" + salt + "$" + key:                          "$pbkdf2-sha256$20000$22$43",
		"$6$rounds=656000$12345678$" + strings.Repeat("x", 86):              "$6$rounds=600000$8$86",
		"$6$12345678$" + strings.Repeat("x", 86):                            "$6$8$86",
		"$P$9" + strings.Repeat("x", 30):                                    "$P$930",
		"$S$E" + strings.Repeat("x", 51):                                    "$S$E51",
		"$1$12345$" + strings.Repeat("x", 22):                               "$1$5$22",
		"$wp$2y$10$" + strings.Repeat("x", 53):                              "$wp$2y$10$53",
		"$bcrypt-sha256$2b$12$" + strings.Repeat("x", 53):                   "$bcrypt-sha256$2b$12$53",
		"$ssha256$c2FsdA$" + key:                                            "$ssha256$6$43",
		"$firescrypt$ln=14,r=8,p=1$" + salt + "==$" + key + "=$Bw==$" + key: "$firescrypt$ln=14,r=8,p=1$22==$43=$2==$43",
		"$md5salted-suffix$c2FsdA==$" + salt + "==":                         "$md5salted-suffix$6==$22==",
	} {
		form := password.Form(hash)
		if form != want {
			t.Errorf("Form(%q) = %q, want %q", hash, form, want)
		}
		if form != "" && password.Form(password.Sample(form)) != form {
			t.Errorf("the sample of %q is %q", form, password.Sample(form))
		}
	}
}

func FuzzForm(f *testing.F) {
	f.Add("$2a$12$x")
	f.Add("$P$")
	f.Fuzz(func(_ *testing.T, text string) {
		password.Sample(password.Form(text))
		password.Sample(text)
	})
}
