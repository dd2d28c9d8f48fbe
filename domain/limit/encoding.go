package limit

import (
	"encoding/binary"
	"math/bits"
)

// A state is a header and a string of bits, lowest bit first:
//
//	0    version
//	1–8  time of the newest group, microseconds of the Unix epoch, little endian
//	9    number of groups, 1 to maxGroups
//	10   Rice parameter of the gaps
//	11   Rice parameter of the counts
//	12   length in bytes of the counts, little endian
//	14–  calls of each group, newest first, less one; zeros up to the byte's end
//	…    gap from each group to the next older one, less one; zeros likewise
//
// The two strings are apart because a processor reads them side by side.
const (
	version    = 0x71
	headerSize = 14
	// maxState is more than the largest list of maxGroups within the bounds takes.
	maxState = 768
	// maxRice suffices for gaps of MaxWindow.
	maxRice = 37
	// wordBits is how many bits eight bytes hold wherever in the first they begin.
	wordBits = 57
	// maxEpoch bounds the times that are believed, so that sums stay in range.
	maxEpoch = 1 << 60
)

// header precedes the two bit strings.
type header struct {
	newest       int64 // time
	groups       int
	gaps, counts uint // Rice parameters
	split        uint // byte at which the gaps begin
}

// write puts the header before the strings.
func (h header) write(b *bitBuffer) {
	b[0] = version
	binary.LittleEndian.PutUint64(b[1:], uint64(h.newest))
	b[9], b[10], b[11] = byte(h.groups), byte(h.gaps), byte(h.counts)
	binary.LittleEndian.PutUint16(b[12:], uint16(h.split-headerSize))
}

// readHeader decodes the header; it returns false if it is invalid for a state of that
// length.
func readHeader(state []byte) (h header, ok bool) {
	if len(state) <= headerSize || len(state) > maxState || state[0] != version {
		return h, false
	}
	h = header{
		newest: int64(binary.LittleEndian.Uint64(state[1:])),
		groups: int(state[9]), gaps: uint(state[10]), counts: uint(state[11]),
		split: headerSize + uint(binary.LittleEndian.Uint16(state[12:])),
	}
	ok = h.newest >= -maxEpoch && h.newest <= maxEpoch && h.groups >= 1 && h.groups <= maxGroups &&
		h.gaps <= maxRice && h.counts <= maxRice && h.split <= uint(len(state))
	return h, ok
}

// encode writes the groups; there must be one.
func (t *tally) encode() []byte {
	var buf bitBuffer
	groups := t.groups[t.first:t.end]
	h := header{newest: t.newest(), groups: len(groups)}
	older := int64(len(groups) - 1)
	h.gaps = riceParameter(h.newest-groups[0].at-older, older)
	h.counts = riceParameter(t.used-older-1, older+1)

	pos := uint(headerSize * 8)
	for i := len(groups) - 1; i >= 0; i-- {
		pos = buf.put(pos, uint64(groups[i].calls-1), h.counts)
	}
	h.split = (pos + 7) / 8
	pos = h.split * 8
	for i := len(groups) - 1; i > 0; i-- {
		pos = buf.put(pos, uint64(groups[i].at-groups[i-1].at-1), h.gaps)
	}
	h.write(&buf)
	state := make([]byte, (pos+7)/8)
	copy(state, buf[:])
	return state
}

// decode decodes the groups into an empty tally. It returns false, and leaves the tally
// empty, for an invalid state.
func (t *tally) decode(state []byte) bool {
	h, ok := readHeader(state)
	if !ok {
		return false
	}
	var buf bitBuffer
	copy(buf[:], state)
	at, oldest, used := h.newest, h.newest-MaxWindow.Microseconds(), int64(0)
	left, right := uint(headerSize*8), h.split*8
	var v uint64
	for i := h.groups - 1; ; i-- {
		v, left = buf.get(left, h.counts)
		t.groups[i] = group{at: at, calls: int64(v) + 1}
		if used += int64(v) + 1; used > MaxLimit || at <= oldest {
			return false
		}
		if i == 0 {
			break
		}
		v, right = buf.get(right, h.gaps)
		at -= int64(v) + 1
	}
	if !buf.padded(left, h.split) || !buf.padded(right, uint(len(state))) {
		return false
	}
	t.end, t.used = h.groups, used
	return true
}

// riceParameter returns the parameter with which n numbers of a sum take the fewest
// bits, about: the logarithm of their mean. All quotients together are then below
// 2n, whatever the numbers.
func riceParameter(sum, n int64) uint {
	if n == 0 || sum < n {
		return 0
	}
	return uint(bits.Len64(uint64(sum/n))) - 1
}

// bitBuffer holds a state, then zeros, of which some are spare so that eight bytes
// can be taken or put wherever a state ends.
type bitBuffer [maxState + 32]byte

// get reads a number in Rice code at a bit position and returns the position behind
// it. Where the state ends before the number does, that is a byte or more behind the
// longest state.
func (b *bitBuffer) get(pos, k uint) (v uint64, next uint) {
	var quotient uint
	word := b.word(pos)
	for word == 0 {
		quotient += wordBits
		if pos += wordBits; pos > maxState*8 {
			return 0, maxState*8 + 8
		}
		word = b.word(pos)
	}
	zeros := uint(bits.TrailingZeros64(word))
	pos += zeros + 1
	word = word >> 1 >> zeros
	if zeros+1+k > wordBits {
		word = b.word(pos)
	}
	return uint64(quotient+zeros)<<k | word&(1<<k-1), pos + k
}

// word returns the bits from a position on, at least wordBits of them.
func (b *bitBuffer) word(pos uint) uint64 {
	return binary.LittleEndian.Uint64(b[pos/8:]) >> (pos % 8)
}

// padded reports whether a string that ends before a bit position ends in the last
// byte before end, and zeros follow it there.
func (b *bitBuffer) padded(pos, end uint) bool {
	return (pos+7)/8 == end && b.word(pos)&(1<<(end*8-pos)-1) == 0
}

// put writes a number in Rice code at a bit position, after which all bits must be
// zero, and returns the position after it: the quotient by 2^k as so many zeros and a
// one, then the k bits of the remainder.
func (b *bitBuffer) put(pos uint, v uint64, k uint) (next uint) {
	pos += uint(v >> k)
	code := (v&(1<<k-1))<<1 | 1
	binary.LittleEndian.PutUint64(b[pos/8:], uint64(b[pos/8])|code<<(pos%8))
	return pos + k + 1
}
