package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/event"
)

// BlockSize is how many events a block has at most, BlockAge how long the oldest of them waits
// for it to be closed.
const (
	BlockSize = 500
	BlockAge  = time.Minute
)

const saltBytes = 16

// Format is the version of what a block proves.
type Format int

const (
	// Original is the format of blocks that name none.
	Original Format = 1
	// Indexed also proves by which IP address an event is found.
	Indexed Format = 2
	// Newest is the newest format that this release seals and verifies.
	Newest = Indexed
)

// Link is an event in the order of the feed, with its change. An event that was
// deleted, or altered so that it cannot be read, before its block was closed has the
// identifier only.
type Link struct {
	Position int64
	Event    event.Record
	Change   event.Change
	// IPIndex is the blind index that the event is found by for its IP address.
	IPIndex string
}

// hidden returns the personal fields of an event: they enter the chain as a commitment alone.
func (l Link) hidden(format Format) []string {
	fields := []string{l.Event.Origin.IP, l.Event.Origin.UserAgent, string(l.Event.Data), string(l.Change.Before), string(l.Change.After)}
	if format >= Indexed {
		fields = append(fields, l.IPIndex)
	}
	return fields
}

// plain returns the other fields, in the order in which they are hashed.
func (l Link) plain() []string {
	e := l.Event
	fields := []string{
		e.ID.String(), string(e.Kind), e.At.UTC().Format(time.RFC3339Nano), string(e.Outcome), e.UserID, e.OrgID, e.Origin.ActorKind,
		e.Origin.ActorID, e.Origin.Credential, e.Origin.RequestID, e.Origin.Command, l.Change.Object,
	}
	if e.Origin.OnBehalfOf != "" { // which events of earlier releases do not have
		fields = append(fields, e.Origin.OnBehalfOf)
	}
	return fields
}

// at returns when the event happened, or was minted where nothing else is left of it.
func (l Link) at() time.Time {
	if l.Event.At.IsZero() {
		return l.Event.ID.Time()
	}
	return l.Event.At
}

// sum hashes texts such that no two lists of them have one form.
func sum(texts ...string) []byte {
	h := sha256.New()
	for _, text := range texts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		_, _ = h.Write(length[:])
		_, _ = h.Write([]byte(text))
	}
	return h.Sum(nil)
}

// Proof is the stored digest of an event.
type Proof struct {
	Position int64    `json:"p"`
	Event    event.ID `json:"e"`
	// Salt goes with the personal fields where they are erased; the proof holds without both.
	Salt []byte `json:"s,omitempty"`
	// Hidden is the commitment to the personal fields, Leaf the hash of it with all others.
	Hidden []byte `json:"h"`
	Leaf   []byte `json:"l"`
}

// Prove makes the proof of an event.
func Prove(l Link, format Format, random challenge.Source) Proof {
	p := Proof{Position: l.Position, Event: l.Event.ID, Salt: random.Bytes(saltBytes)}
	p.Hidden = l.commitment(format, p.Salt)
	p.Leaf = l.leaf(p.Hidden)
	return p
}

func (l Link) commitment(format Format, salt []byte) []byte {
	return sum(append(l.hidden(format), string(salt))...)
}

func (l Link) leaf(hidden []byte) []byte {
	return sum(append(l.plain(), strconv.FormatInt(l.Position, 10), string(hidden))...)
}

// Holds reports whether an event is unchanged. A proof without salt is erased: the
// event's personal fields were removed.
func (p Proof) Holds(l Link, format Format) bool {
	if !bytes.Equal(p.Leaf, l.leaf(p.Hidden)) {
		return false
	}
	if len(p.Salt) == 0 {
		return !slices.ContainsFunc(l.hidden(format), func(text string) bool { return text != "" && text != "{}" })
	}
	return bytes.Equal(p.Hidden, l.commitment(format, p.Salt))
}

// Block is a part of the chain.
type Block struct {
	// Number counts from 1.
	Number int64
	Format Format
	// First and Last are positions in the feed; Earliest and Latest bound the times of the events.
	First, Last      int64
	Entries          int
	Earliest, Latest time.Time
	// Previous is the hash of the block before, empty for the first; Root is that of the proofs.
	Previous, Root, Hash string
	ClosedAt             time.Time
	// Proofs are in the order of the feed; none of a block that was Cut by retention.
	Proofs []Proof
	Cut    bool
}

// Close makes the block that follows another one, out of at least one event.
func Close(previous Block, format Format, links []Link, random challenge.Source, now time.Time) Block {
	b := Block{
		Number: previous.Number + 1, Format: format, First: links[0].Position, Last: links[len(links)-1].Position, Entries: len(links),
		Earliest: links[0].at(), Latest: links[0].at(), Previous: previous.Hash, ClosedAt: now,
	}
	for _, l := range links {
		b.Proofs = append(b.Proofs, Prove(l, format, random))
		if l.at().Before(b.Earliest) {
			b.Earliest = l.at()
		}
		if l.at().After(b.Latest) {
			b.Latest = l.at()
		}
	}
	// A time in the future, set by manipulation, must not make later events look old.
	if b.Latest.After(now) {
		b.Latest = now
	}
	if b.Earliest.After(now) {
		b.Earliest = now
	}
	b.Root = b.root()
	b.Hash = b.hash()
	return b
}

func (b Block) root() string {
	leaves := make([]string, len(b.Proofs))
	for i, p := range b.Proofs {
		leaves[i] = string(p.Leaf)
	}
	return hex.EncodeToString(sum(leaves...))
}

func (b Block) hash() string {
	form := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	fields := []string{
		number(b.Number), number(b.First), number(b.Last), number(int64(b.Entries)), form(b.Earliest), form(b.Latest), b.Previous, b.Root,
	}
	if b.Format > Original { // which says nothing of itself
		fields = append(fields, number(int64(b.Format)))
	}
	return hex.EncodeToString(sum(fields...))
}

// Follows reports whether the block is the next one after another, and in itself as it was
// closed.
func (b Block) Follows(previous Block) bool {
	return b.Number == previous.Number+1 && b.Previous == previous.Hash && b.First > previous.Last && b.Sound()
}

// Sound reports whether the block is in itself as it was closed.
func (b Block) Sound() bool { return b.Hash == b.hash() && (b.Cut || b.Root == b.root()) }

// EncodeProofs writes the proofs to be stored, and DecodeProofs reads them.
func (b Block) EncodeProofs() (string, error) {
	text, err := json.Marshal(b.Proofs)
	if err != nil {
		return "", fmt.Errorf("encode proofs: %w", err)
	}
	return string(text), nil
}

// DecodeProofs decodes the result of EncodeProofs.
func (b *Block) DecodeProofs(text string) error {
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&b.Proofs); err != nil {
		return fmt.Errorf("decode proofs: %w", err)
	}
	return nil
}

// Erased returns the number of events whose personal fields were erased.
func (b Block) Erased() (n int) {
	for _, p := range b.Proofs {
		if len(p.Salt) == 0 {
			n++
		}
	}
	return n
}

// Head is a signed statement up to where the chain reached.
type Head struct {
	Number   int64
	Hash     string
	SignedAt time.Time
	// Token is the statement as a compact JWS of HeadType; its claims are a Statement.
	Token string
}

// HeadType is the typ of signed heads.
const HeadType = "gatehouse-audit-head+jwt"

// Statement is the content of a head.
type Statement struct {
	Issuer   string `json:"iss"`
	IssuedAt int64  `json:"iat"`
	Block    int64  `json:"block"`
	Hash     string `json:"hash"`
}

// States reports whether the head is the one that a statement was made of.
func (h Head) States(s Statement) bool {
	return s.Block == h.Number && s.Hash == h.Hash && s.IssuedAt == h.SignedAt.Unix()
}

// Break is a deviation of the log from the chain.
type Break struct {
	// What is "altered", "missing" or "inserted".
	What  string
	Block int64
	// Event is which event, and At when it was. The first is empty where nothing is left of the
	// event, both where the block itself is broken.
	Event event.ID
	OrgID string
	At    time.Time
}

// The ways in which a log is broken.
const (
	Altered  = "altered"
	Missing  = "missing"
	Inserted = "inserted"
)

// backdated is how much older than the previous block an event may be, because of long
// transactions and clock differences.
const backdated = time.Hour

// Check compares a block with its current events, and with stray events that are in no
// block. It returns the first break in the order of the feed; nil for none.
func (b Block) Check(before Block, links []Link, strays []event.Record) *Break {
	known := make(map[event.ID]Link, len(links))
	for _, l := range links {
		known[l.Event.ID] = l
	}
	next := before.Last + 1
	if before.Number == 0 {
		next = b.First // the chain begins wherever the feed was by then
	}
	for _, p := range b.Proofs {
		if p.Position != next { // positions have no gap
			return &Break{What: Missing, Block: b.Number, At: p.Event.Time()}
		}
		next++
		l, there := known[p.Event]
		found := &Break{Block: b.Number, Event: p.Event, OrgID: l.Event.OrgID, At: p.Event.Time()}
		l.Position = p.Position
		switch {
		case !there:
			found.What = Missing
		case !before.Latest.IsZero() && p.Event.Time().Before(before.Latest.Add(-backdated)):
			found.What = Inserted
		case !p.Holds(l, b.Format):
			found.What = Altered
		default:
			continue
		}
		return found
	}
	if len(strays) > 0 {
		return &Break{What: Inserted, Block: b.Number, Event: strays[0].ID, OrgID: strays[0].OrgID, At: strays[0].At}
	}
	return nil
}
