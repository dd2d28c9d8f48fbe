package password

import (
	"encoding/binary"
	"sync"
	_ "unsafe" // for go:linkname

	_ "golang.org/x/crypto/argon2" // the steps linked to below
)

const (
	argonMode   = 2  // Argon2id, RFC 9106 section 3.1 (type y)
	argonSlices = 4  // RFC 9106 section 3.4
	saltBytes   = 16 // RFC 9106 section 3.1 recommends 16
	keyBytes    = 32
)

// block is the unit of Argon2's memory: 1 KiB.
type block [128]uint64

//go:linkname argonInit golang.org/x/crypto/argon2.initHash
func argonInit(password, salt, secret, data []byte, time, memory, threads, keyLen uint32, mode int) [72]byte //nolint:revive // the signature is theirs

//go:linkname argonHash golang.org/x/crypto/argon2.blake2bHash
func argonHash(out []byte, in []byte)

//go:linkname argonFill golang.org/x/crypto/argon2.processBlocks
func argonFill(blocks []block, time, memory, threads uint32, mode int)

//go:linkname argonKey golang.org/x/crypto/argon2.extractKey
func argonKey(blocks []block, memory, threads, keyLen uint32) []byte

// argon computes Argon2id with one set of costs. Its memory is kept between
// calls, as many buffers as calls ran at once, until the collector finds them idle.
type argon struct {
	settings Settings
	buffers  sync.Pool
}

func newArgon(s Settings) *argon {
	lanes := argonSlices * uint32(s.Threads)
	size := max(s.Memory/lanes*lanes, 2*lanes) // RFC 9106 section 3.2, step 3
	return &argon{settings: s, buffers: sync.Pool{New: func() any {
		blocks := make([]block, size)
		return &blocks
	}}}
}

// derive gives the same key as argon2.IDKey.
func (a *argon) derive(password, salt []byte) []byte {
	buffer, ok := a.buffers.Get().(*[]block)
	if !ok {
		panic("password: a foreign buffer")
	}
	blocks := *buffer
	defer a.buffers.Put(buffer)
	defer clear(blocks)

	time, threads := a.settings.Time, uint32(a.settings.Threads)
	seed := argonInit(password, salt, nil, nil, time, a.settings.Memory, threads, keyBytes, argonMode)
	memory := uint32(len(blocks))
	for lane := range threads {
		for i := range uint32(2) {
			seedBlock(&blocks[lane*(memory/threads)+i], seed, i, lane)
		}
	}
	argonFill(blocks, time, memory, threads, argonMode)
	return argonKey(blocks, memory, threads, keyBytes)
}

// seedBlock fills one of the first two blocks of a lane (RFC 9106 section 3.2,
// steps 4 and 5).
func seedBlock(target *block, seed [72]byte, index, lane uint32) {
	binary.LittleEndian.PutUint32(seed[64:], index)
	binary.LittleEndian.PutUint32(seed[68:], lane)
	var bytes [1024]byte
	argonHash(bytes[:], seed[:])
	for i := range target {
		target[i] = binary.LittleEndian.Uint64(bytes[i*8:])
	}
}
