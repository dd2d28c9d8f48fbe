package payment

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Once returns what a call is known by at a processor that wants a UUID for that: the same for the
// same key of ours and the same kind of call, which the other parts tell.
func Once(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, " ")))
	// RFC 9562 section 5.4.
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
