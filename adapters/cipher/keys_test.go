package cipher_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gatehouse.internal/adapters/cipher"
)

// key returns 32 different bytes in base64.
func key(start byte) string {
	return base64.StdEncoding.EncodeToString(keyBytes(start, 32))
}

func keyBytes(start byte, n int) []byte {
	made := make([]byte, n)
	for i := range made {
		made[i] = start + byte(i)*7
	}
	return made
}

func parse(tb testing.TB, text string) cipher.Keys {
	tb.Helper()
	keys, err := cipher.ParseKeys(text)
	if err != nil {
		tb.Fatal(err)
	}
	return keys
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	urlSafe := base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{0xfb, 0xff}, 16))
	for text, want := range map[string]string{
		"":                              "",
		key(1):                          "1",
		"1:" + key(1):                   "1",
		"b:" + key(2) + ",a:" + key(1):  "b,a",
		"b:" + key(2) + "," + key(1):    "b,1",
		" b:" + key(2) + " , " + key(1): "b,1",
		"2026-01_x:" + key(1):           "2026-01_x",
		strings.TrimRight(key(1), "="):  "1",
		urlSafe:                         "1",
	} {
		keys, err := cipher.ParseKeys(text)
		if err != nil || strings.Join(keys.IDs(), ",") != want || keys.Empty() != (want == "") {
			t.Errorf("ParseKeys(%q) = %v, %v; want %q", text, keys, err, want)
		}
	}
}

func TestParseKeysRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"blank":            {" ", cipher.ErrKeyForm},
		"empty key":        {"a:", cipher.ErrKeyForm},
		"empty element":    {"a:" + key(1) + ",", cipher.ErrKeyForm},
		"empty id":         {":" + key(1), cipher.ErrKeyForm},
		"long id":          {strings.Repeat("a", 33) + ":" + key(1), cipher.ErrKeyForm},
		"id with a dot":    {"a.b:" + key(1), cipher.ErrKeyForm},
		"two colons":       {"a:b:" + key(1), cipher.ErrKeyForm},
		"31 bytes":         {base64.StdEncoding.EncodeToString(keyBytes(1, 31)), cipher.ErrKeyForm},
		"33 bytes":         {base64.StdEncoding.EncodeToString(keyBytes(1, 33)), cipher.ErrKeyForm},
		"not base64":       {"a:" + strings.Repeat("!", 44), cipher.ErrKeyForm},
		"zero":             {base64.StdEncoding.EncodeToString(make([]byte, 32)), cipher.ErrKeyWeak},
		"one byte":         {base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)), cipher.ErrKeyWeak},
		"second is zero":   {"a:" + key(1) + ",b:" + strings.Repeat("A", 43), cipher.ErrKeyWeak},
		"same id":          {"a:" + key(1) + ",a:" + key(2), cipher.ErrKeyDuplicate},
		"same id, bare":    {"1:" + key(1) + "," + key(2), cipher.ErrKeyDuplicate},
		"same bytes":       {"a:" + key(1) + ",b:" + key(1), cipher.ErrKeyDuplicate},
		"same, third last": {"a:" + key(1) + ",b:" + key(2) + ",a:" + key(3), cipher.ErrKeyDuplicate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, err := cipher.ParseKeys(c.text)
			if !errors.Is(err, c.want) || !keys.Empty() {
				t.Fatalf("ParseKeys = %v, %v; want %v", keys, err, c.want)
			}
			for part := range strings.FieldsFuncSeq(c.text, func(r rune) bool { return r == ',' || r == ':' || r == ' ' }) {
				if len(part) > 3 && strings.Contains(err.Error(), part) {
					t.Errorf("error quotes the key: %v", err)
				}
			}
		})
	}
}

func TestKeysDoNotShow(t *testing.T) {
	t.Parallel()
	keys := parse(t, "a:"+key(1))
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("start", "keys", keys)
	blinder := cipher.NewBlinder(keyBytes(1, 32))
	for _, shown := range []string{fmt.Sprint(keys), fmt.Sprintf("%+v", keys), fmt.Sprintf("%#v", keys)} {
		if shown != "keys a" {
			t.Errorf("keys show as %s", shown)
		}
	}
	for _, shown := range []string{fmt.Sprint(blinder), fmt.Sprintf("%#v", blinder)} {
		if shown != "blinder" {
			t.Errorf("a blinder shows as %s", shown)
		}
	}
	if !strings.Contains(logged.String(), `keys="keys a"`) {
		t.Errorf("logged %s", logged.String())
	}
}
