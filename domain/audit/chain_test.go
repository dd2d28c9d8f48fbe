package audit_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
)

// salts are bytes that are never twice the same.
type salts struct{ n byte }

func (s *salts) Bytes(n int) []byte {
	s.n++
	return bytes.Repeat([]byte{s.n}, n)
}

// link is an event at a position of the feed.
func link(position int64) audit.Link {
	at := noon().Add(time.Duration(position) * time.Second)
	return audit.Link{Position: position, Event: event.Record{
		ID: event.EarliestID(at), Kind: "role.created", At: at, Outcome: "success", Data: []byte(fmt.Sprintf(`{"name":"Role %d"}`, position)),
	}}
}

// block closes a block of three events behind one of two.
func block(t *testing.T) (before, b audit.Block, links []audit.Link) {
	t.Helper()
	random := &salts{}
	before = audit.Close(audit.Block{}, audit.Newest, []audit.Link{link(1), link(2)}, random, noon())
	links = []audit.Link{link(3), link(4), link(5)}
	b = audit.Close(before, audit.Newest, links, random, noon())
	if broken := b.Check(before, links, nil); broken != nil || !b.Follows(before) || b.Erased() != 0 {
		t.Fatalf("untouched: %+v", broken)
	}
	return before, b, links
}

func TestErasedEventsLeaveTheChainWhole(t *testing.T) {
	t.Parallel()
	before, b, links := block(t)
	links[1].Event.Data = nil
	if broken := b.Check(before, links, nil); broken == nil || broken.What != audit.Altered || broken.Event != links[1].Event.ID {
		t.Errorf("emptied with its salt there: %+v", broken)
	}
	b.Proofs[1].Salt = nil
	if broken := b.Check(before, links, nil); broken != nil || !b.Follows(before) || b.Erased() != 1 {
		t.Errorf("erased: %+v, %d counted", broken, b.Erased())
	}
	links[1].Event.Data = []byte(`{"name":"Other"}`)
	if broken := b.Check(before, links, nil); broken == nil || broken.What != audit.Altered {
		t.Errorf("with other content once the salt is gone: %+v", broken)
	}
}

func TestGapsInTheFeedAreMissed(t *testing.T) {
	t.Parallel()
	before, _, links := block(t)
	for name, c := range map[string]struct {
		links []audit.Link
		at    time.Time
	}{
		"the first of a block":     {links[1:], links[1].Event.ID.Time()},
		"one in between":           {[]audit.Link{links[0], links[2]}, links[2].Event.ID.Time()},
		"of which its place stays": {[]audit.Link{links[0], {Position: 4, Event: event.Record{ID: links[1].Event.ID}}, links[2]}, links[1].Event.ID.Time()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := audit.Close(before, audit.Newest, c.links, &salts{}, noon())
			var there []audit.Link
			for _, l := range c.links {
				if !l.Event.At.IsZero() {
					there = append(there, l)
				}
			}
			if broken := b.Check(before, there, nil); broken == nil || broken.What != audit.Missing || !broken.At.Equal(c.at) {
				t.Errorf("found %+v, want one missing at %s", broken, c.at)
			}
			if b.Earliest.Before(noon()) || b.Latest.Before(b.Earliest) {
				t.Errorf("the block is from %s to %s", b.Earliest, b.Latest)
			}
		})
	}
}

// On whose behalf somebody acted is a part of what is proved, where somebody did.
func TestOnWhoseBehalfIsProved(t *testing.T) {
	t.Parallel()
	l := link(1)
	l.Event.Origin = event.Origin{ActorKind: "user", ActorID: "usr_1", OnBehalfOf: "usr_2"}
	proof := audit.Prove(l, audit.Newest, &salts{})
	if !proof.Holds(l, audit.Newest) {
		t.Error("what was proved does not hold")
	}
	for _, other := range []string{"", "usr_3"} {
		changed := l
		changed.Event.Origin.OnBehalfOf = other
		if proof.Holds(changed, audit.Newest) {
			t.Errorf("it holds on behalf of %q", other)
		}
	}
}

// A block is verified by its own format: what that does not prove may change, and another
// format cannot be put in its place.
func TestFormatsOfBlocks(t *testing.T) {
	t.Parallel()
	for format, index := range map[audit.Format]bool{audit.Original: false, audit.Indexed: true} {
		l := link(1)
		l.IPIndex = "index of 203.0.113.9"
		b := audit.Close(audit.Block{}, format, []audit.Link{l}, &salts{}, noon())
		if broken := b.Check(audit.Block{}, []audit.Link{l}, nil); broken != nil || !b.Sound() {
			t.Errorf("format %d, untouched: %+v", format, broken)
		}
		moved := l
		moved.IPIndex = "index of 198.51.100.7"
		if broken := b.Check(audit.Block{}, []audit.Link{moved}, nil); (broken != nil) != index {
			t.Errorf("format %d, with another index: %+v", format, broken)
		}
		other := b
		other.Format = audit.Original + audit.Indexed - format
		if other.Sound() {
			t.Errorf("a block of format %d is sound as one of format %d", format, other.Format)
		}
		// Erasure takes the index along.
		b.Proofs[0].Salt = nil
		l.Event.Data = nil
		if broken := b.Check(audit.Block{}, []audit.Link{l}, nil); (broken != nil) != index {
			t.Errorf("format %d, erased but for its index: %+v", format, broken)
		}
		l.IPIndex = ""
		if broken := b.Check(audit.Block{}, []audit.Link{l}, nil); broken != nil {
			t.Errorf("format %d, erased: %+v", format, broken)
		}
	}
}
