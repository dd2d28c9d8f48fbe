package jose_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/ports/outbound/crypt"
)

// signed makes a token of any header under a key, with a signature that is
// right: what remains to be refused is the header.
func signed(t *testing.T, key rawSigner, head, payload string) string {
	t.Helper()
	return resign(t, key, b64(head)+"."+b64(payload))
}

// resign appends the right signature to any signing input.
func resign(t *testing.T, key rawSigner, input string) string {
	t.Helper()
	return input + "." + base64.RawURLEncoding.EncodeToString(key.raw(t, []byte(input)))
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	for _, algorithm := range algorithms() {
		key, second := newRawKey(t, "k1", algorithm), newRawKey(t, "k2", algorithm)
		for name, token := range hostile(t, key, second) {
			t.Run(algorithm+"/"+name, func(t *testing.T) {
				t.Parallel()
				verified, err := jose.JOSE{}.Verify(token, typ, only(key, second))
				if err == nil {
					t.Fatalf("accepted: %s", verified.Payload)
				}
				if !errors.Is(err, crypt.ErrTokenRefused) {
					t.Errorf("error %v does not wrap ErrTokenRefused", err)
				}
				if verified.KeyID != "" || verified.Payload != nil {
					t.Errorf("refused, but answers %+v", verified)
				}
			})
		}
	}
}

// A token made by these same means with nothing wrong in it passes: the table
// above is not refused for another reason than the one it names.
func TestVerifyAcceptsWhatTheTableAlters(t *testing.T) {
	t.Parallel()
	for _, algorithm := range algorithms() {
		key := newRawKey(t, "k1", algorithm)
		for name, head := range map[string]string{
			"ours":        `{"alg":"` + algorithm + `","kid":"k1","typ":"at+jwt"}`,
			"other order": `{"typ":"at+jwt", "kid":"k1", "alg":"` + algorithm + `"}`,
		} {
			if _, err := (jose.JOSE{}).Verify(signed(t, key, head, `{}`), typ, only(key)); err != nil {
				t.Errorf("%s, %s: %v", algorithm, name, err)
			}
		}
	}
}

func hostile(t *testing.T, key, second rawSigner) map[string]string {
	t.Helper()
	good := signed(t, key, head(key, ""), `{"sub":"usr_1"}`)
	table := map[string]string{}
	for _, part := range []map[string]string{headers(t, key, second), segments(t, key, good), mutations(t, key, second, good)} {
		for name, token := range part {
			table[name] = token
		}
	}
	return table
}

// head is a right header with more members put in.
func head(key crypt.SigningKey, more string) string {
	return `{"alg":"` + key.Algorithm() + `","kid":"` + key.ID() + `","typ":"at+jwt"` + more + `}`
}

// headers are tokens whose signature is right and whose header is not.
func headers(t *testing.T, key, second rawSigner) map[string]string {
	t.Helper()
	alg := key.Algorithm()
	wrong := map[string]string{
		"duplicate alg":       head(key, `,"alg":"none"`),
		"duplicate kid":       head(key, `,"kid":"`+key.ID()+`"`),
		"duplicate escaped":   head(key, `,"\u0061lg":"none"`),
		"other case":          head(key, `,"ALG":"none"`),
		"kid upper-case name": `{"alg":"` + alg + `","KID":"k1","typ":"at+jwt"}`,
		"alg none":            `{"alg":"none","kid":"k1","typ":"at+jwt"}`,
		"alg None":            `{"alg":"None","kid":"k1","typ":"at+jwt"}`,
		"alg lower-case":      `{"alg":"` + strings.ToLower(alg) + `","kid":"k1","typ":"at+jwt"}`,
		"alg of the other":    `{"alg":"` + map[string]string{"ES256": "RS256", "RS256": "ES256"}[alg] + `","kid":"k1","typ":"at+jwt"}`,
		"alg missing":         `{"kid":"k1","typ":"at+jwt"}`,
		"alg null":            `{"alg":null,"kid":"k1","typ":"at+jwt"}`,
		"kid missing":         `{"alg":"` + alg + `","typ":"at+jwt"}`,
		"kid unknown":         `{"alg":"` + alg + `","kid":"k9","typ":"at+jwt"}`,
		"kid of other key":    head(second, ""),
		"kid number":          `{"alg":"` + alg + `","kid":1,"typ":"at+jwt"}`,
		"typ missing":         `{"alg":"` + alg + `","kid":"k1"}`,
		"typ other":           `{"alg":"` + alg + `","kid":"k1","typ":"JWT"}`,
		"typ upper-case":      `{"alg":"` + alg + `","kid":"k1","typ":"AT+JWT"}`,
		"typ application/":    `{"alg":"` + alg + `","kid":"k1","typ":"application/at+jwt"}`,
		"trailing document":   head(key, "") + `{}`,
		"array":               `[` + head(key, "") + `]`,
		"null":                `null`,
		"empty object":        `{}`,
		"not JSON":            `alg`,
		"invalid UTF-8":       head(key, `,"x":"`+"\xff"+`"`),
		"very long":           head(key, strings.Repeat(" ", 512)),
	}
	for _, member := range []string{"jku", "x5u", "jwk", "x5c", "x5t", "crit", "zip", "enc", "b64", "cty", "p2c", ""} {
		wrong["member "+member] = head(key, `,"`+member+`":"x"`)
	}
	tokens := make(map[string]string)
	for name, text := range wrong {
		tokens[name] = signed(t, key, text, `{"sub":"usr_1"}`)
	}
	return tokens
}

// segments are tokens of another outer form.
func segments(t *testing.T, key rawSigner, good string) map[string]string {
	t.Helper()
	parts := strings.Split(good, ".")
	flattened, err := json.Marshal(map[string]string{"protected": parts[0], "payload": parts[1], "signature": parts[2]})
	if err != nil {
		t.Fatal(err)
	}
	input := parts[0] + "." + parts[1]
	return map[string]string{
		"empty":              "",
		"dots":               "..",
		"many dots":          strings.Repeat(".", 8<<10),
		"megabyte":           strings.Repeat("A", 1<<20),
		"JSON serialization": string(flattened),
		"JWE five parts":     good + ".AAAA.AAAA",
		"two parts":          input,
		"unsigned":           input + ".",
		"no payload":         resign(t, key, parts[0]+"."),
		"detached payload":   parts[0] + ".." + parts[2],
		"empty header":       "." + parts[1] + "." + parts[2],
		"leading space":      " " + good,
		"trailing newline":   good + "\n",
		"newline in payload": resign(t, key, parts[0]+"."+parts[1][:4]+"\n"+parts[1][4:]),
		"newline in header":  resign(t, key, parts[0][:4]+"\r\n"+parts[0][4:]+"."+parts[1]),
		"padded header":      resign(t, key, pad(parts[0])+"."+parts[1]),
		"padded payload":     resign(t, key, parts[0]+"."+b64("1")+"=="),
		"padded signature":   input + "." + pad(parts[2]),
		"standard alphabet":  resign(t, key, parts[0]+"."+base64.RawStdEncoding.EncodeToString([]byte{0xfb, 0xff, 0xfe})),
		"payload tail bits":  resign(t, key, parts[0]+".AB"),
		"over the limit":     signed(t, key, head(key, ""), strings.Repeat("a", 6<<10)),
	}
}

// pad makes base64 look like its padded form, also where none is due.
func pad(segment string) string { return segment + strings.Repeat("=", 4-len(segment)%4) }

// mutations are tokens whose signature does not belong to them.
func mutations(t *testing.T, key, second rawSigner, good string) map[string]string {
	t.Helper()
	parts := strings.Split(good, ".")
	input := parts[0] + "." + parts[1]
	signature := unb64(t, parts[2])
	encode := base64.RawURLEncoding.EncodeToString
	confused := b64(`{"alg":"HS256","kid":"k1","typ":"at+jwt"}`) + "." + parts[1]
	mac := hmac.New(sha256.New, key.PublicJWK())
	mac.Write([]byte(confused))
	return map[string]string{
		"HS256 under public key": confused + "." + encode(mac.Sum(nil)),
		"signed by other key":    input + "." + encode(second.raw(t, []byte(input))),
		"truncated":              good[:len(good)-1],
		"truncated by 4":         good[:len(good)-4],
		"extended":               good + "A",
		"extended by 4":          good + "AAAA",
		"signature zero":         input + "." + encode(make([]byte, len(signature))),
		"signature tail bits":    good[:len(good)-1] + nextLetter(good[len(good)-1]),
		"signature altered":      input + "." + encode(alter(signature, 0)),
		"payload altered":        parts[0] + "." + b64(`{"sub":"usr_2"}`) + "." + parts[2],
		"DER signature":          input + "." + encode(append([]byte{0x30, byte(len(signature))}, signature...)),
		"ES256 r and s of order": input + "." + encode([]byte(strings.Repeat("\xff", len(signature)))),
	}
}

// nextLetter differs from a last letter only in the bits that carry nothing:
// 64 and 256 bytes both leave some.
func nextLetter(last byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, last)+1])
}

func unb64(t *testing.T, segment string) []byte {
	t.Helper()
	decoded, err := base64.RawURLEncoding.DecodeString(segment)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}
