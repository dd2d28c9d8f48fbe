package id

import (
	"strconv"
	"strings"
	"time"
)

// A UUIDv7 begins with 48 bits of milliseconds since the Unix epoch (RFC 9562
// section 5.7). Behind two bits of nothing they are the first ten characters.
const (
	timeLength = 10
	timeBits   = 48
	digitBits  = 5
)

// Earliest returns the smallest identifier of kind K in the millisecond of a time, to
// convert a range of times to a range of identifiers. Times before 1970 and after the
// year 10888 are clamped.
func Earliest[K Kind](moment time.Time) ID[K] {
	millis := min(max(moment.UnixMilli(), 0), 1<<timeBits-1)
	var digits [timeLength]byte
	for i := timeLength - 1; i >= 0; i-- {
		digits[i] = alphabet[millis&(1<<digitBits-1)]
		millis >>= digitBits
	}
	var kind K
	return ID[K](kind.Prefix() + "_" + string(digits[:]) + strings.Repeat("0", suffixLength-timeLength))
}

// Time returns when the identifier was minted, to the millisecond, in UTC. It is
// the zero time when the text is not an identifier.
func (i ID[K]) Time() time.Time {
	if _, err := Parse[K](string(i)); err != nil {
		return time.Time{}
	}
	millis := int64(0)
	for _, digit := range []byte(i[len(i)-suffixLength:][:timeLength]) {
		millis = millis<<digitBits | int64(strings.IndexByte(alphabet, digit))
	}
	return time.UnixMilli(millis & (1<<timeBits - 1)).UTC()
}

// UUIDTime returns when a UUIDv7 was minted, to the millisecond, in UTC, from its plain
// form (RFC 9562 sections 4 and 5.7). It reports whether the text is one.
func UUIDTime(text string) (time.Time, bool) {
	const length, first, second, version = 36, 8, 13, 14
	if len(text) != length || text[first] != '-' || text[second] != '-' || text[version] != '7' {
		return time.Time{}, false
	}
	millis, err := strconv.ParseUint(text[:first]+text[first+1:second], 16, timeBits)
	return time.UnixMilli(int64(millis)).UTC(), err == nil
}
