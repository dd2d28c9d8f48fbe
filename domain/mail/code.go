package mail

import (
	"encoding/binary"
	"fmt"

	"gatehouse.internal/domain/challenge"
)

// codes is how many codes there are.
const codes = 1_000_000

// NewCode draws a code of six digits, each as likely as any other.
func NewCode(random challenge.Source) string {
	const whole = (1 << 32) / codes * codes
	for {
		drawn := binary.BigEndian.Uint32(random.Bytes(4))
		if drawn < whole {
			return fmt.Sprintf("%06d", drawn%codes)
		}
	}
}
