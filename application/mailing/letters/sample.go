package letters

import (
	"fmt"
	"time"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
)

// sampleHost is where the links of samples lead.
const sampleHost = "https://auth.example.com"

// Sample returns values to show a template with, all of them.
func Sample(t mail.Template) Values {
	values := Values{}
	CommonValues{
		Host: sampleHost, Name: "Ada Lovelace", Email: email.Restore("ada@example.com"), Proved: true,
		Look: branding.Settings{LogoURL: "https://cdn.example.com/logo.png", SupportEmail: email.Restore("help@example.com")},
	}.Fill(values)
	facts := map[string]string{
		varNewEmail: "ada@example.org", varHeadline: "Your password was changed",
		varDetail: "All other sessions have ended.", varWhen: "May 4, 2026, 12:00 UTC",
		varWorkspace: "Analytical Engines", varInviter: "Charles Babbage", varInviterEmail: "charles@example.com",
		varDomain: "engines.example", varRecordName: "_gatehouse-challenge.engines.example",
		varRecordValue: "gatehouse-verification=SampleProofSampleProofSampleProofSamplePro1", varUntil: "May 11, 2026, 12:00 UTC",
		varIP: "203.0.113.7", varDevice: "Firefox on Linux",
	}
	for _, name := range kindOf(t).facts {
		values[name] = facts[name]
	}
	switch kindOf(t).vital {
	case varLink:
		values.Link(sampleLink(0), time.Hour)
	case varCode:
		const minutes = 10
		values.Code(sampleCode(0), minutes*time.Minute)
	}
	return values
}

func sampleLink(n int) string {
	return fmt.Sprintf("%s/sample?token=SampleTokenSampleTokenSample%03d", sampleHost, n)
}

func sampleCode(n int) string {
	const first, step = 482913, 1009
	return fmt.Sprintf("%06d", first+n*step)
}
