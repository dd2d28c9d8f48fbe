package instance

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	bigendian "encoding/binary"
	"fmt"
	"testing"
	"time"
)

// TOTP is the code of an authenticator app (RFC 6238), some steps from now.
func TOTP(t *testing.T, secret string, steps int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatalf("the secret %q is no base32: %v", secret, err)
	}
	mac := hmac.New(sha1.New, key)
	_ = bigendian.Write(mac, bigendian.BigEndian, time.Now().Unix()/30+steps)
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", bigendian.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1_000_000)
}
