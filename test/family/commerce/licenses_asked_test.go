package commerce_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/test/harness"
)

// random returns bytes that are the same each time.
type random byte

func (r random) Bytes(n int) []byte { return []byte(strings.Repeat(string(rune(r)), n)) }

// A key is asked about 600 times a minute with each command, from wherever and however it
// is written, on all replicas together, and also one that was never handed out; another
// key, and what has not the form of one, is not concerned.
func TestLimitByKey(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() *harness.Service) {
		h, other := open(), open()
		ada := vendor(h)
		_, key := issue(ada, nil)
		_, neighbor := issue(ada, nil)
		wait := time.Duration(0)
		replicas := []*harness.Service{h, other}
		for _, asked := range []secret.Shown{secret.Shown(key), license.NewKey(random('x'))} {
			ways := []string{string(asked), strings.ToLower(string(asked)), strings.ReplaceAll(string(asked)[4:], "-", "")}
			ask := func(i int) *harness.Reply {
				return replicas[i%2].Anonymous().Do("LICENSE.VALIDATE", P{"key": ways[i%len(ways)], "machine": "m"})
			}
			for begin := 0; begin < 600; begin += 50 {
				for i, one := range harness.Together(50, func(i int) *harness.Reply { return ask(begin + i) }) {
					if one.Failure != nil {
						t.Fatalf("call %d failed with %v", begin+i, one.Failure)
					}
				}
			}
			// A window of that many calls is exact to a twentieth.
			var refused *harness.Reply
			for i := 0; i <= 30 && (refused == nil || refused.Failure == nil); i++ {
				refused = ask(i)
			}
			if wait = max(wait, refused.Fails(fault.RateLimited).Failure.RetryAfter); wait <= 0 || wait > time.Minute+time.Second {
				t.Errorf("told to wait %s", wait)
			}
		}
		for _, params := range []P{{"key": neighbor}, {"key": "LIC-"}, {"key": key[:len(key)-1] + "U"}} {
			h.Anonymous().Do("LICENSE.VALIDATE", params).OK()
		}
		h.Anonymous().Do("LICENSE.MACHINE_ACTIVATE", P{"key": key, "machine": "m"}).OK()
		h.Clock.Advance(wait)
		other.Clock.Advance(wait)
		h.Anonymous().Do("LICENSE.VALIDATE", P{"key": key}).OK()
	})
}
