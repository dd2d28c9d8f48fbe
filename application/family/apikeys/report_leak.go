package apikeys

import (
	"context"
	"net/url"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
)

// ReportLeakParams are the parameters of API_KEY.REPORT_LEAK.
type ReportLeakParams struct {
	Keys   []secret.String `json:"keys" doc:"Full text of each leaked key." jsonschema:"minItems=1,maxItems=100,minLength=1,maxLength=512"`
	Source string          `json:"source,omitzero" doc:"Person or tool that found the keys. Shown to their owners." jsonschema:"maxLength=100,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=secret scanner"`
	URL    string          `json:"url,omitzero" doc:"The http or https URL where the keys were found. User information, query and fragment are not stored." jsonschema:"maxLength=2048,pattern=^https?://[!-~]+$,example=https://example.com/paste/1"`
}

// ReportLeakResult is the result of API_KEY.REPORT_LEAK.
type ReportLeakResult struct {
	Results []LeakResult `json:"results" doc:"Result for each key, in the order sent."`
}

// LeakResult is what became of one text that was handed in.
type LeakResult struct {
	Prefix  *string `json:"prefix" doc:"Leading part of the key, so that you can recognize it. Null if the text does not have the form of a key."`
	Revoked bool    `json:"revoked" doc:"Whether the text is a key of this service that is now revoked or expired. Secrets replaced by a rotation are no longer recognized once they stop working."`
}

func (s *Service) reportLeak() command.Definition {
	return command.Define(command.Spec[ReportLeakParams, ReportLeakResult]{
		Name:        "API_KEY.REPORT_LEAK",
		Summary:     "Report leaked API keys and revoke them.",
		Description: "Anyone who has the text of a key can call this command. Each reported key is revoked at once, and its owner is notified.",
		Access:      access.Public(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{apikey.KindLeakReported, apikey.KindRevoked},
		Handle: func(ctx context.Context, _ command.Call, p ReportLeakParams) (ReportLeakResult, error) {
			where, err := place(p.URL)
			if err != nil {
				return ReportLeakResult{}, err
			}
			var digests []string
			for _, text := range p.Keys {
				if keytext.Valid(keytext.APIKey, text.Reveal()) {
					digests = append(digests, keytext.Digest(text.Reveal()))
				}
			}
			ended := map[string]bool{}
			if len(digests) > 0 {
				err = s.Unit.Do(ctx, func(tx Repos) error {
					ended, err = s.endLeaked(ctx, tx, digests, apikey.Finding{Source: p.Source, URL: where})
					return err
				})
			}
			return leakResults(p.Keys, ended), err
		},
	})
}

// place returns an address without what may identify a person: user info, query and
// fragment.
func place(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil || (address != "" && parsed.Host == "") {
		return "", fault.Unfit("/url", "must be an http or https URL")
	}
	parsed.User, parsed.RawQuery, parsed.ForceQuery, parsed.Fragment, parsed.RawFragment = nil, "", false, "", ""
	return parsed.String(), nil
}

// endLeaked ends the keys that these texts open, and returns the digests of those
// which do not work any more. A text that was replaced before ends nothing.
func (s *Service) endLeaked(ctx context.Context, tx Repos, digests []string, where apikey.Finding) (map[string]bool, error) {
	found, err := tx.Keys.ByDigests(ctx, digests)
	if err != nil {
		return nil, err
	}
	now, ended := s.Clock.Now(), map[string]bool{}
	for _, k := range found {
		for _, digest := range digests {
			if k.Opens(digest, now) {
				k.Leak(where, now)
			}
		}
		for _, text := range k.Snapshot().Secrets {
			ended[text.Digest] = !k.Opens(text.Digest, now)
		}
		if k.Changed() {
			if err := tx.Keys.Save(ctx, k); err != nil {
				return nil, err
			}
		}
	}
	return ended, nil
}

func leakResults(texts []secret.String, ended map[string]bool) ReportLeakResult {
	result := ReportLeakResult{Results: make([]LeakResult, len(texts))}
	for i, text := range texts {
		one, plain := &result.Results[i], text.Reveal()
		for _, kind := range []keytext.Kind{keytext.APIKey, keytext.AppSecret} {
			if keytext.Valid(kind, plain) {
				one.Prefix = view.Text(keytext.Hint(kind, plain))
			}
		}
		one.Revoked = ended[keytext.Digest(plain)]
	}
	return result
}
