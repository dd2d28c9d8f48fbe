package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// refusalMargin is how much longer than /health a refusal may take (issue: bad
// input costs no more than /health plus a fifth of a millisecond).
const refusalMargin = 200 * time.Microsecond

// question is what one connection asks time and again, and the status that answers it.
type question struct {
	name     string
	want     int
	requests [][]byte
}

func refusals(i *instance) []question {
	token, call := i.sessions[0].access, func(body string) [][]byte { return [][]byte{post(nil, "", body)} }
	me := `{"command":"USER.ME"}`
	return []question{
		{"malformed JSON", 400, call(`{"command":"USER.ME",`)},
		{"not UTF-8", 400, call("{\"command\":\"USER.\xff\"}")},
		{"duplicate key", 400, call(`{"command":"USER.ME","command":"USER.ME"}`)},
		{"too deep", 400, call(`{"command":"USER.ME","params":` + strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 501))},
		{"64 KiB of garbage", 400, call(strings.Repeat("[", 64<<10))},
		{"unknown command", 404, call(`{"command":"USER.MEE"}`)},
		{"no credential", 401, call(me)},
		{"wrong scheme", 401, [][]byte{[]byte(strings.Replace(string(post(nil, token, me)), "Bearer", "Basic", 1))}},
		{"bad bearer", 401, [][]byte{post(nil, "not-a-token", me)}},
		{"forged signature", 401, forgedSignatures(token)},
		{"alg none", 401, [][]byte{post(nil, relabeled(token, `{"alg":"none","typ":"at+jwt"}`), me)}},
		{"unknown key", 401, [][]byte{post(nil, relabeled(token, `{"alg":"ES256","typ":"at+jwt","kid":"nobody's"}`), me)}},
		{"unknown parameter", 400, [][]byte{post(nil, token, `{"command":"USER.ME","color":"red"}`)}},
		{"forged cursor", 400, [][]byte{post(nil, token, `{"command":"USER.LIST","params":{"cursor":"`+strings.Repeat("A", 64)+`"}}`)}},
		{"forged refresh", 401, call(`{"command":"AUTH.REFRESH","params":{"refresh_token":"rt_` + strings.Repeat("A", 103) + `"}}`)},
	}
}

// forgedSignatures are many, so that none is answered from what another cost.
func forgedSignatures(token string) [][]byte {
	var requests [][]byte
	signed := token[:strings.LastIndexByte(token, '.')+1]
	for n := range 256 {
		raw := append(digest("r", n), digest("s", n)...)
		requests = append(requests, post(nil, signed+base64.RawURLEncoding.EncodeToString(raw), `{"command":"USER.ME"}`))
	}
	return requests
}

// relabeled puts another header before the rest of a token.
func relabeled(token, header string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(header)) + token[strings.IndexByte(token, '.'):]
}

// benchRefusals holds the time of every refusal against that of /health.
func benchRefusals(ctx context.Context, i *instance, o options, r *report) error {
	all := refusals(i)
	health := question{"/health", 200, [][]byte{get("/health")}}
	base, took := make([]sample, 0, o.runs), make([][]sample, len(all))
	for range o.runs {
		got, err := i.alone(ctx, health, o.window/3)
		if err != nil {
			return err
		}
		base = append(base, got)
		for k, one := range all {
			got, err := i.alone(ctx, one, o.window/3)
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			took[k] = append(took[k], got)
		}
	}
	from := merge(base)
	r.printf("\n%s: bad input at 1 connection; p50 may be that of /health, %s, plus %s\n", i.db.store, millis(from.p50), millis(refusalMargin))
	for k, one := range all {
		got := merge(took[k])
		r.printf("%-18s %d  p50 %9s  p99 %9s  cpu %7s  %s\n", one.name, one.want, millis(got.p50), millis(got.p99),
			micros(got.each.server), r.verdict(got.p50 <= from.p50+refusalMargin))
	}
	return nil
}

// alone asks over one connection.
func (i *instance) alone(ctx context.Context, one question, window time.Duration) (sample, error) {
	l := &load{
		address: i.address, connections: 1, window: window, warmup: window / 5,
		script: func(int) script { return &repeat{requests: one.requests, want: one.want} },
		cost:   func() spent { return i.db.cost(i.pid()) },
	}
	return l.measure(ctx)
}
