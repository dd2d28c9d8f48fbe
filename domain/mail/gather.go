package mail

import (
	"slices"
	"strings"
)

// mostGathered is how many lines a mail in place of several has.
const mostGathered = 50

// Gathers reports whether the mail may be delayed and combined with others when its
// address has received many: it is informational and has no deadline.
func (r Request) Gathers() bool { return r.Template == Notice && !r.Vital && !r.Parting }

// Gather returns a mail with the contents of both.
func (r Request) Gather(other Request) Request {
	lines := slices.Concat(r.lines(), other.lines())
	r.Gathered = lines[:min(len(lines), mostGathered)]
	detail := strings.Join(r.Gathered, "\n")
	if len(r.Gathered) == mostGathered {
		detail += "\nThere may be more: your account lists all notices."
	}
	r.Facts = map[string]string{"headline": "Several security notices for your account", "detail": detail}
	return r
}

// lines returns the lines of a mail, one for each notice.
func (r Request) lines() []string {
	if len(r.Gathered) > 0 {
		return r.Gathered
	}
	reported := make([]string, 0, len(r.Facts))
	for _, name := range []string{"when", "headline", "device", "ip"} {
		if r.Facts[name] != "" {
			reported = append(reported, r.Facts[name])
		}
	}
	return []string{strings.Join(reported, " · ")}
}
