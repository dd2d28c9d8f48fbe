package password_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

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
		// Of WordPress and its plugins, Kratos, Django, Firebase and ASP.NET: what their own tests and documentation have.
		"wordpress":            {`$wp$2y$10$Q1xinFjrZeLWJBvxviIL6u834Fu.evIEFHAUVisQ5O.w9Dm0sMdES`, "admin"},
		"kratos argon2id":      {`$argon2id$v=19$m=32,t=2,p=4$cm94YnRVOW5jZzFzcVE4bQ$MNzk5BtR2vUhrp6qQEjRNw`, "test"},
		"kratos argon2i":       {`$argon2i$v=19$m=65536,t=3,p=4$kk51rW/vxIVCYn+EG4kTSg$NyT88uraJ6im6dyha/M5jhXvpqlEdlS/9fEm7ScMb8c`, "test"},
		"kratos pbkdf2":        {`$pbkdf2-sha256$i=100000,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI`, "test"},
		"kratos scrypt":        {`$scrypt$ln=16384,r=8,p=1$2npRo7P03Mt8keSoMbyD/tKFWyUzjiQf2svUaNDSrhA=$MiCzNcIplSMqSBrm4HckjYqYhaVPPjTARTzwB1cVNYE=`, "test"},
		"firebase":             {`$firescrypt$ln=14,r=8,p=1$sPtDhWcd1MfdAw==$xbSou7FOl6mChCyzpCPIQ7tku7nsQMTFtyOZSXXd7tjBa4NtimOx7v42Gv2SfzPQu1oxM2/k4SsbOu73wlKe1A==$Bw==$YE0dO4bwD4JnJafh6lZZfkp1MtKzuKAXQcDCJNJNyeCHairWHKENOkbh3dzwaCdizzOspwr/FITUVlnOAwPKyw==`, "8x4WjoDbSxJZdR"},
		"firebase, its own":    {`$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==`, "user1password"},
		"ssha":                 {`{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a`, "test123"},
		"ssha256":              {`{SSHA256}czO44OTV17PcF1cRxWrLZLy9xHd7CWyVYplr1rOhuMlx/7IK`, "test123"},
		"ssha512":              {`{SSHA512}xPUl/px+1cG55rUH4rzcwxdOIPSB2TingLpiJJumN2xyDWN4Ix1WQG3ihnvHaWUE8MYNkvMi5rf0C9NYixHsE6Yh59M=`, "test123"},
		"django pbkdf2":        {`pbkdf2_sha256$1000000$seasalt$r1uLUxoxpP2Ued/qxvmje7UH9PUJBkRrvf9gGPL7Cps=`, "lètmein"},
		"django scrypt":        {`scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==`, "lètmein"},
		"django argon2":        {`argon2$argon2id$v=19$m=102400,t=2,p=8$Y041dExhNkljRUUy$TMa6A8fPJhCAUXRhJXCXdw`, "secret"},
		"django bcrypt_sha256": {`bcrypt_sha256$$2b$12$VADBCPlCt0wMa2zjUgaXl.jnrvoNt/kgjtRY7i./fo0V2IEp1l6f2`, "password"},
		"django bcrypt":        {`bcrypt$$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`, "U*U"},
		"identity sha256":      {`AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==`, "my password"},
		"identity sha512":      {`AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==`, "my password"},
		"md5 salted":           {`$md5salted-suffix$c2FsdA==$sPQTeQKsKZRaWhRpBrobFg==`, "password"},
	}
}

func TestImported(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	for name, c := range imported() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored, err := p.Import(c.hash)
			if err != nil {
				t.Fatalf("Import: %v", err)
			}
			if again, err := p.Import(stored); again != stored || err != nil {
				t.Errorf("Import of what is exported: %q, %v", again, err)
			}
			for _, wrong := range []string{"", c.plain + "x", strings.Repeat("x", 100)} {
				if verdict, err := p.Verify(t.Context(), stored, secret.New(wrong)); err != nil || verdict.Match || verdict.Upgraded != "" {
					t.Errorf("Verify(%q) = %+v, %v", wrong, verdict, err)
				}
			}
			verdict, err := p.Verify(t.Context(), stored, secret.New(c.plain))
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

// Better Auth makes scrypt of the hexadecimal salt, and of the password in NFKC. Its makers publish no
// vector: these two were made by the functions of Node.js that it calls.
func TestImportedOfBetterAuth(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	for plain, hash := range betterAuth() {
		stored, err := p.Import(hash)
		if err != nil {
			t.Fatal(err)
		}
		if verdict, err := p.Verify(t.Context(), stored, secret.New(plain)); err != nil || !verdict.Match || verdict.Upgraded == "" {
			t.Errorf("Verify(%q) = %+v, %v", plain, verdict, err)
		}
	}
}

// An imported hash of a password that is not in NFC verifies the bytes as they were typed; our own are made of NFC.
func TestImportedOfOtherSpellings(t *testing.T) {
	t.Parallel()
	p := newPasswords(t, cheap())
	composed, apart := "p\u00e4sswort zu lang", "pa\u0308sswort zu lang"
	for hash, match := range map[string][]string{
		hashedAs(t, apart):    {apart},
		hashedAs(t, composed): {apart, composed},
	} {
		for _, typed := range []string{apart, composed} {
			verdict, err := p.Verify(t.Context(), hash, secret.New(typed))
			if err != nil || verdict.Match != slices.Contains(match, typed) {
				t.Fatalf("Verify(%q) = %+v, %v", typed, verdict, err)
			}
			if !verdict.Match {
				continue
			}
			for _, later := range []string{apart, composed} {
				if again, err := p.Verify(t.Context(), verdict.Upgraded, secret.New(later)); err != nil || !again.Match {
					t.Errorf("Verify(%q) of the upgrade = %+v, %v", later, again, err)
				}
			}
		}
	}
}

// hashedAs returns a hash that another product made of exactly these bytes.
func hashedAs(t *testing.T, plain string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(plain), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

// betterAuth are passwords, the second one in wide letters, with their hashes.
func betterAuth() map[string]string {
	return map[string]string{
		"correct horse battery":           "000102030405060708090a0b0c0d0e0f:70cc7d605f9fd0bfd324b3978bd79ee81076d98810046ed91604c3cb8aa6957761a2b0b97abf1e7c417ec4a9baa7bd1ce53449880d90dc1117c88d69b4f0b72e",
		"\uff30\uff41\uff53\uff53 phrase": "f0e0d0c0b0a090807060504030201000:39e9c14b5d6a53063eb1eb4f033c8802e785a7faf142aa649f17e3397bd621f8dd0ac6834870976eeb74317307fce17b0e96f8aaa1717c6a3759f266164a68e4",
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
		"django without salt":       {"pbkdf2_sha256$100000$$" + key + "=", unknown},
		"django rounds":             {"pbkdf2_sha256$9999999$seasalt$" + key + "=", cost},
		"django scrypt, no power":   {"scrypt$16385$seasalt$8$1$" + key + "=", unknown},
		"identity, cut off":         {"AQAAAAEAACcQAAAAEA==", unknown},
		"identity, long salt":       {"AQAAAAEAACcQf///////AQIDBAUGBwgJCgsMDQ4=", unknown},
		"identity, no key":          {"AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg8=", unknown},
		"identity, other function":  {"AQAAAAkAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==", unknown},
		"firebase work":             {"$firescrypt$ln=17,r=16,p=1$sPtDhWcd1MfdAw==$xbSou7FOl6mChCyzpCPIQ7tku7nsQMTFtyOZSXXd7tg=$Bw==$YE0dO4bwD4JnJafh6lZZfkp1MtKzuKAXQcDCJNJNyeA=", cost},
		"ssha without salt":         {"{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDw=", unknown},
		"sha":                       {"{SHA}JFZFs0oHzxbMwkSJmYVeI8MnTDw=", unknown},
		"better auth, short":        {strings.Repeat("a", 32) + ":" + strings.Repeat("b", 64), unknown},
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
			if _, err := p.Import(c.hash); !errors.Is(err, c.want) {
				t.Errorf("Import: %v, want %v", err, c.want)
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

// FuzzImport holds that whatever is imported can be verified without a
// crash, and is not matched by just any password.
func FuzzImport(f *testing.F) {
	for _, c := range imported() {
		f.Add(c.hash)
	}
	for _, c := range refused() {
		if len(c.hash) < 1000 {
			f.Add(c.hash)
		}
	}
	p := newPasswords(f, cheap())
	f.Fuzz(func(t *testing.T, hash string) {
		stored, err := p.Import(hash)
		if err != nil {
			return
		}
		verdict, err := p.Verify(t.Context(), stored, secret.New("no such password"))
		if err != nil || verdict.Match {
			t.Fatalf("Verify(%q) = %+v, %v", stored, verdict, err)
		}
	})
}
