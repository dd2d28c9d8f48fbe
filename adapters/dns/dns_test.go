package dns_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gatehouse.internal/adapters/dns"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/test/fake/nameserver"
)

const name = "_gatehouse-challenge.example.com"

func resolver(s *nameserver.Server) dns.Resolver {
	return dns.Resolver{Server: s.Address(), Random: system.Random{}}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 255)
	huge := make([]string, 80)
	for i := range huge {
		huge[i] = fmt.Sprint(i, long[3:])
	}
	for what, records := range map[string][][]string{
		"none":            {},
		"one":             {{"proof"}},
		"several":         {{"v=spf1 -all"}, {"proof"}},
		"several strings": {{"gatehouse-", "verification=", "proof"}},
		"a long one":      {{long, long, "y"}},
		"by TCP":          {huge[:8], {"proof"}},
		"too long a text": {huge, {"proof"}},
	} {
		server := nameserver.Start(t)
		server.PublishStrings(name, records...)
		var want []string
		for _, one := range records {
			if text := strings.Join(one, ""); len(text) <= 4096 {
				want = append(want, text)
			}
		}
		if got, err := resolver(server).TXT(t.Context(), name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d texts, %v, want %d", what, len(got), err, len(want))
		}
	}
}

func TestAbsentNames(t *testing.T) {
	t.Parallel()
	server := nameserver.Start(t)
	server.Publish("another.example")
	if got, err := resolver(server).TXT(t.Context(), name); err != nil || len(got) > 0 {
		t.Errorf("an absent name: %v, %v", got, err)
	}
	for _, bad := range []string{strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 140) + "com", "a..com"} {
		if got, err := resolver(server).TXT(t.Context(), bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

// TestForgedAnswersAreIgnored are answers that must not pass for texts of the name.
func TestForgedAnswersAreIgnored(t *testing.T) {
	t.Parallel()
	other := dnsmessage.MustNewName("_gatehouse-challenge.example.org.")
	for what, twist := range map[string]func(m *dnsmessage.Message){
		"another name":  func(m *dnsmessage.Message) { m.Answers = []dnsmessage.Resource{nameserver.TXT(other, "proof")} },
		"a name below":  func(m *dnsmessage.Message) { m.Answers[0].Header.Name = dnsmessage.MustNewName("x." + name + ".") },
		"another class": func(m *dnsmessage.Message) { m.Answers[0].Header.Class = dnsmessage.ClassCHAOS },
		"an alias": func(m *dnsmessage.Message) {
			m.Answers = []dnsmessage.Resource{nameserver.Alias(m.Questions[0].Name, other), nameserver.TXT(other, "proof")}
		},
		"beside the answer": func(m *dnsmessage.Message) { m.Answers, m.Additionals = nil, m.Answers },
		"by authority":      func(m *dnsmessage.Message) { m.Answers, m.Authorities = nil, m.Answers },
		"of no such name":   func(m *dnsmessage.Message) { m.RCode = dnsmessage.RCodeNameError },
	} {
		server := nameserver.Start(t)
		server.Publish(name, "proof")
		server.Twist(func(m dnsmessage.Message) []dnsmessage.Message { twist(&m); return []dnsmessage.Message{m} })
		if got, err := resolver(server).TXT(t.Context(), name); err != nil || len(got) > 0 {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
}

// TestUnrelatedPacketsAreIgnored are packets that answer no question, or another one; the right one follows.
func TestUnrelatedPacketsAreIgnored(t *testing.T) {
	t.Parallel()
	for what, twist := range map[string]func(m *dnsmessage.Message){
		"another id":       func(m *dnsmessage.Message) { m.ID++ },
		"another question": func(m *dnsmessage.Message) { m.Questions[0].Name = dnsmessage.MustNewName("example.org.") },
		"another type":     func(m *dnsmessage.Message) { m.Questions[0].Type = dnsmessage.TypeA },
		"no question":      func(m *dnsmessage.Message) { m.Questions = nil },
		"a question":       func(m *dnsmessage.Message) { m.Response = false },
	} {
		server := nameserver.Start(t)
		server.Publish(name, "proof")
		server.Twist(func(m dnsmessage.Message) []dnsmessage.Message {
			stray := m
			stray.Questions = slices.Clone(m.Questions)
			stray.Answers = []dnsmessage.Resource{nameserver.TXT(m.Questions[0].Name, "forged")}
			twist(&stray)
			return []dnsmessage.Message{stray, m}
		})
		if got, err := resolver(server).TXT(t.Context(), name); err != nil || !slices.Equal(got, []string{"proof"}) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
}

func TestCaseTellsNoNamesApart(t *testing.T) {
	t.Parallel()
	server := nameserver.Start(t)
	server.Publish(name, "proof")
	server.Twist(func(m dnsmessage.Message) []dnsmessage.Message {
		m.Answers[0].Header.Name = dnsmessage.MustNewName("_GATEHOUSE-challenge.Example.COM.")
		return []dnsmessage.Message{m}
	})
	if got, err := resolver(server).TXT(t.Context(), name); err != nil || !slices.Equal(got, []string{"proof"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestUnanswered are look-ups that tell nothing: none of them passes for an absent name.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	failing := nameserver.Start(t)
	failing.Twist(func(m dnsmessage.Message) []dnsmessage.Message {
		m.RCode, m.Answers = dnsmessage.RCodeServerFailure, nil
		return []dnsmessage.Message{m}
	})
	if got, err := resolver(failing).TXT(t.Context(), name); err == nil {
		t.Errorf("a resolver that fails: %v", got)
	}
	if n := len(failing.Asked()); n != 2 {
		t.Errorf("asked %d times", n)
	}
	down := nameserver.Start(t)
	down.Down()
	if got, err := resolver(down).TXT(t.Context(), name); err == nil {
		t.Errorf("a resolver that is down: %v", got)
	}
	silent := nameserver.Start(t)
	silent.Twist(func(dnsmessage.Message) []dnsmessage.Message { return nil })
	began := time.Now()
	if got, err := resolver(silent).TXT(t.Context(), name); err == nil || time.Since(began) > 6*time.Second {
		t.Errorf("a silent resolver: %v, %v after %v", got, err, time.Since(began))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began = time.Now()
	if got, err := resolver(silent).TXT(ctx, name); err == nil || time.Since(began) > time.Second {
		t.Errorf("nobody waits any more: %v, %v after %v", got, err, time.Since(began))
	}
}
