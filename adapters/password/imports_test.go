package password_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/password"
	"gatehouse.internal/domain/secret"
)

// imported are hashes that others made: argon2(1), Python's hashlib and passlib,
// openssl passwd, crypt_blowfish, WordPress, Drupal.
func imported() map[string]struct{ hash, plain string } {
	type c = struct{ hash, plain string }
	return map[string]c{
		"argon2i":              {`$argon2i$v=19$m=4096,t=3,p=1$cmFuZG9tc2FsdGlzaGFyZA$YMvo8AUoNtnKYGqeODruCjHdiEbl1pKL2MsYy9VgU/E`, "password"},
		"argon2id":             {`$argon2id$v=19$m=4096,t=3,p=1$cmFuZG9tc2FsdGlzaGFyZA$DYojYpnUWSMmTtrkVXyaNWVGxLmGe1n8VJBPDdFkbjU`, "password"},
		"bcrypt 2a":            {`$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`, "U*U"},
		"bcrypt 2b":            {`$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`, "U*U"},
		"bcrypt 2y":            {`$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`, "U*U"},
		"scrypt":               {`$scrypt$ln=12,r=8,p=1$cmFuZG9tc2FsdGlzaGFyZA$hs63Mk0jHlySCb7RQFNMWQKI9QfyqSd7014MvVN4xu8`, "password"},
		"scrypt 7":             {`$7$ln=12,r=8,p=1$cmFuZG9tc2FsdGlzaGFyZA$hs63Mk0jHlySCb7RQFNMWQKI9QfyqSd7014MvVN4xu8`, "password"},
		"pbkdf2":               {`$pbkdf2$1000$cmFuZG9tc2FsdGlzaGFyZA$lxsdkEQcq51hce.GKUbOQT1QOv8`, "password"},
		"pbkdf2-sha224":        {`$pbkdf2-sha224$1000$cmFuZG9tc2FsdGlzaGFyZA$yWB71Iej86BnVlfM.MzKJqoePko2tQBt//C01Q`, "password"},
		"pbkdf2-sha256":        {`$pbkdf2-sha256$1000$cmFuZG9tc2FsdGlzaGFyZA$dFecGd7dtsM4Wbr/yJPNT5pjdMu5CkADhbgnCAksnKc`, "password"},
		"pbkdf2-sha384":        {`$pbkdf2-sha384$1000$cmFuZG9tc2FsdGlzaGFyZA$hxhJzBBhHxUqmJnAXz0WVHUryqqy14UBqPMpSJJMUzeXYjnoqnUwa5YQ8DI.P8Xd`, "password"},
		"pbkdf2-sha512":        {`$pbkdf2-sha512$1000$cmFuZG9tc2FsdGlzaGFyZA$edX31w/kfaynYCy11TerkoCJUlWnZJIprWJsIctQhFNGQnSiTjODm.uKIQ0Bg7Vu7S0G82RQU9t9gE8xJcETiA`, "password"},
		"pbkdf2 padded":        {`$pbkdf2-sha256$1000$cmFuZG9tc2FsdGlzaGFyZA==$dFecGd7dtsM4Wbr/yJPNT5pjdMu5CkADhbgnCAksnKc=`, "password"},
		"sha256-crypt":         {`$5$saltsalt$gOjOtoMpVhru2uyjeJSEc/JaLQWOXMNmlOnj6T4AtC.`, "password"},
		"sha512-crypt":         {`$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/`, "password"},
		"sha512-crypt, rounds": {`$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.`, "Hello world!"},
		"phpass P":             {`$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0`, "test12345"},
		"phpass H":             {`$H$9aaaaaSXBjgypwqm.JsMssPLiS8YQ00`, "test1"},
		"drupal7":              {`$S$ErandomsaOpYrAZqwxGynirQbWYCb3ejW4BwGH81LJcOzbzeVd02`, "password"},
		"md5-crypt":            {`$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/`, "password"},
		"md5 salted":           {`$md5salted-suffix$c2FsdA==$sPQTeQKsKZRaWhRpBrobFg==`, "password"},
	}
}

func TestImported(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	for name, c := range imported() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := p.Recognize(c.hash); err != nil {
				t.Fatalf("Recognize: %v", err)
			}
			for _, wrong := range []string{"", c.plain + "x", strings.Repeat("x", 100)} {
				if verdict, err := p.Verify(t.Context(), c.hash, secret.New(wrong)); err != nil || verdict.Match || verdict.Upgraded != "" {
					t.Errorf("Verify(%q) = %+v, %v", wrong, verdict, err)
				}
			}
			verdict, err := p.Verify(t.Context(), c.hash, secret.New(c.plain))
			if err != nil || !verdict.Match || !strings.HasPrefix(verdict.Upgraded, "$argon2id$v=19$m=1024,t=1,p=1$") {
				t.Fatalf("Verify = %+v, %v; want a match and an upgrade", verdict, err)
			}
			again, err := p.Verify(t.Context(), verdict.Upgraded, secret.New(c.plain))
			if err != nil || !again.Match || again.Upgraded != "" {
				t.Errorf("Verify of the upgrade = %+v, %v", again, err)
			}
		})
	}
}

// refused are hashes of which each would cost too much, protect nothing, match
// every password, or crash the library.
func refused() map[string]struct {
	hash string
	want error
} {
	type c = struct {
		hash string
		want error
	}
	const salt, key = "cmFuZG9tc2FsdGlzaGFyZA", "DYojYpnUWSMmTtrkVXyaNWVGxLmGe1n8VJBPDdFkbjU"
	cost, unknown := password.ErrHashCost, password.ErrUnknownHash
	bcrypt := "$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
	sha512 := "$saltsalt$" + strings.Repeat("a", 86)
	return map[string]c{
		"argon2 4 GiB":              {"$argon2id$v=19$m=4194304,t=1,p=1$" + salt + "$" + key, unknown},
		"argon2 512 MiB":            {"$argon2id$v=19$m=524288,t=1,p=1$" + salt + "$" + key, cost},
		"argon2 memory times time":  {"$argon2id$v=19$m=262144,t=10,p=1$" + salt + "$" + key, cost},
		"argon2 time":               {"$argon2id$v=19$m=1024,t=99,p=1$" + salt + "$" + key, cost},
		"argon2 no time":            {"$argon2id$v=19$m=4096,t=0,p=1$" + salt + "$" + key, cost},
		"argon2 threads":            {"$argon2id$v=19$m=4096,t=1,p=99$" + salt + "$" + key, cost},
		"argon2 no threads":         {"$argon2id$v=19$m=4096,t=1,p=0$" + salt + "$" + key, cost},
		"argon2 little memory":      {"$argon2id$v=19$m=8,t=1,p=1$" + salt + "$" + key, cost},
		"argon2 short key":          {"$argon2id$v=19$m=4096,t=1,p=1$" + salt + "$AA", unknown},
		"argon2 no key":             {"$argon2id$v=19$m=4096,t=1,p=1$" + salt + "$", unknown},
		"argon2 short salt":         {"$argon2id$v=19$m=4096,t=1,p=1$AA$" + key, unknown},
		"argon2 huge key":           {"$argon2id$v=19$m=4096,t=1,p=1$" + salt + "$" + strings.Repeat("A", 400), unknown},
		"argon2 key not base64":     {"$argon2id$v=19$m=4096,t=1,p=1$" + salt + "$" + key[:42] + "V", unknown},
		"argon2 trailing":           {"$argon2id$v=19$m=4096,t=1,p=1$" + salt + "$" + key + " x", unknown},
		"argon2 newline":            {"$argon2id$v=19$m=4096,t=1,p=1$" + salt + "$" + key + "\n", unknown},
		"argon2 version":            {"$argon2id$v=16$m=4096,t=1,p=1$" + salt + "$" + key, unknown},
		"argon2d":                   {"$argon2d$v=19$m=4096,t=1,p=1$" + salt + "$" + key, unknown},
		"bcrypt cost 15":            {"$2b$15" + bcrypt, cost},
		"bcrypt cost 31":            {"$2b$31" + bcrypt, cost},
		"bcrypt cost 99":            {"$2b$99" + bcrypt, unknown},
		"bcrypt 2x":                 {"$2x$05" + bcrypt, unknown},
		"bcrypt short":              {"$2b$05" + bcrypt[:50], unknown},
		"bcrypt prefix only":        {"$2", unknown},
		"scrypt memory":             {"$scrypt$ln=20,r=8,p=1$" + salt + "$" + key, cost},
		"scrypt r":                  {"$scrypt$ln=17,r=16,p=1$" + salt + "$" + key, cost},
		"scrypt work":               {"$scrypt$ln=17,r=8,p=3$" + salt + "$" + key, cost},
		"scrypt overflow":           {"$scrypt$ln=99,r=99,p=99$" + salt + "$" + key, cost},
		"scrypt little":             {"$scrypt$ln=1,r=8,p=1$" + salt + "$" + key, cost},
		"scrypt no r":               {"$scrypt$ln=14,r=0,p=1$" + salt + "$" + key, cost},
		"pbkdf2 rounds":             {"$pbkdf2-sha256$9999999$" + salt + "$" + key, cost},
		"pbkdf2 rounds times keys":  {"$pbkdf2$1000000$" + salt + "$" + key, cost},
		"pbkdf2 few rounds":         {"$pbkdf2-sha256$0999$" + salt + "$" + key, cost},
		"pbkdf2 many digits":        {"$pbkdf2-sha256$99999999999$" + salt + "$" + key, unknown},
		"pbkdf2 unknown hash":       {"$pbkdf2-md5$10000$" + salt + "$" + key, unknown},
		"sha512-crypt rounds":       {"$6$rounds=9999999" + sha512, cost},
		"sha512-crypt few rounds":   {"$6$rounds=0100" + sha512, cost},
		"sha512-crypt 999999999":    {"$6$rounds=999999999" + sha512, unknown},
		"phpass rounds":             {"$P$Z12345678si5M0DDyPpmRCmcltU/YW/", cost},
		"phpass few rounds":         {"$P$112345678si5M0DDyPpmRCmcltU/YW/", cost},
		"drupal7 iterations":        {"$S$ZrandomsaOpYrAZqwxGynirQbWYCb3ejW4BwGH81LJcOzbzeVd02", cost},
		"md5 bare":                  {"5f4dcc3b5aa765d61d8327deb882cf99", unknown},
		"md5 salted, short":         {"$md5salted-suffix$c2FsdA==$AAAA", unknown},
		"plain text":                {"password", unknown},
		"empty":                     {"", unknown},
		"dollar":                    {"$", unknown},
		"megabyte":                  {strings.Repeat("$", 1<<20), unknown},
		"ours with more memory":     {"$argon2id$v=19$m=999999,t=1,p=1$" + salt + "$" + key, cost},
		"ours with a shortened key": {"$argon2id$v=19$m=1024,t=1,p=1$" + salt + "$" + key[:20], unknown},
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	for name, c := range refused() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			if err := p.Recognize(c.hash); !errors.Is(err, c.want) {
				t.Errorf("Recognize: %v, want %v", err, c.want)
			}
			if c.hash == "" {
				return // to Verify this is an account without a password
			}
			if verdict, err := p.Verify(t.Context(), c.hash, secret.New("password")); !errors.Is(err, password.ErrStoredHash) || verdict.Match {
				t.Errorf("Verify = %+v, %v", verdict, err)
			}
			if took := time.Since(start); took > 500*time.Millisecond {
				t.Errorf("took %v", took)
			}
		})
	}
}

// FuzzRecognize holds that whatever is recognized can be verified without a
// crash, and is not matched by just any password.
func FuzzRecognize(f *testing.F) {
	for _, c := range imported() {
		f.Add(c.hash)
	}
	for _, c := range refused() {
		if len(c.hash) < 1000 {
			f.Add(c.hash)
		}
	}
	p := newPasswords(f, cheap())
	f.Fuzz(func(t *testing.T, stored string) {
		if stored == "" || p.Recognize(stored) != nil {
			return
		}
		verdict, err := p.Verify(t.Context(), stored, secret.New("no such password"))
		if err != nil || verdict.Match {
			t.Fatalf("Verify(%q) = %+v, %v", stored, verdict, err)
		}
	})
}
