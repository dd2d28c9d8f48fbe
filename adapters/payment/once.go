package payment

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Once returns an idempotency key for a processor that requires a UUID: the same for the same parts, which are
// a key of ours and the kind of the call.
func Once(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, " ")))
	// The version and variant bits of a UUIDv4 (RFC 9562 section 5.4).
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
