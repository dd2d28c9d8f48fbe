package pages

import (
	"net/url"
	"strconv"
	"strings"
)

func (v *visit) newWebhook() error {
	in, err := v.workspaceForm("", "webhooks:write")
	if err != nil {
		return err
	}
	data := webhookData{webhookSection: webhookSection{in}}
	if data.Kinds, err = v.kinds(); err != nil {
		return err
	}
	if v.form.values == nil {
		v.form.values = url.Values{"events": {everyKind}}
	}
	return v.show("editwebhook", "New webhook", data)
}

// webhookParams returns the parameters of the webhook form, or the invalid field and its error.
// An empty selection of events is an error here, since the commands take it as all
// events.
func (v *visit) webhookParams() (p params, wrong, complaint string) {
	chosen := v.form.values["events"]
	if len(chosen) == 0 {
		return nil, "events", "Select at least one event type, or all events."
	}
	p = params{"url": v.form.text("url"), "events": chosen, "description": v.form.text("description")}
	v.integers(p, "rate_limit")
	headers, whole := headersOf(v.form.text("headers"))
	switch {
	case !whole:
		return nil, "headers", "Enter one header per line: a name, a colon and a value."
	case len(headers) > 0 || v.form.Has("headerless", "yes"):
		p["headers"] = headers
	}
	return p, "", ""
}

// headersOf parses headers, one on a line; it returns false if a line has no colon.
func headersOf(text string) (headers map[string]string, whole bool) {
	headers = map[string]string{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, is := strings.Cut(line, ":")
		if !is {
			return nil, false
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return headers, true
}

// webhookFields returns the names of the webhook form's fields.
func webhookFields() []string {
	return []string{"url", "events", "description", "rate_limit", "headers"}
}

func (v *visit) createWebhook() error {
	p, wrong, complaint := v.webhookParams()
	if wrong != "" {
		return v.complain((*visit).newWebhook, wrong, complaint)
	}
	var made struct {
		Webhook webhook `json:"webhook"`
		Secret  string  `json:"signing_secret"`
	}
	if err := v.act("WEBHOOK.CREATE", p, &made); err != nil {
		return v.retry(err, (*visit).newWebhook, webhookFields()...)
	}
	v.state.Shown = &shown{Key: made.Secret, Name: made.Webhook.ID}
	return v.redirect(webhookPage(made.Webhook.ID))
}

func (v *visit) editWebhook() error {
	if _, err := v.workspaceForm("", "webhooks:write"); err != nil {
		return err
	}
	data, err := v.someWebhook()
	if err != nil {
		return err
	}
	if data.Kinds, err = v.kinds(); err != nil {
		return err
	}
	if v.form.values == nil {
		one := data.Webhook
		v.form.values = url.Values{"url": {one.URL}, "events": one.Events, "description": {one.Description}}
		if one.RateLimit > 0 {
			v.form.values.Set("rate_limit", strconv.Itoa(one.RateLimit))
		}
	}
	return v.show("editwebhook", "Edit webhook", data)
}

func (v *visit) changeWebhook() error {
	p, wrong, complaint := v.webhookParams()
	if wrong != "" {
		return v.complain((*visit).editWebhook, wrong, complaint)
	}
	id := v.form.text("webhook_id")
	p["webhook_id"] = id
	if p["rate_limit"] == nil {
		p["rate_limit"] = 0 // no limit
	}
	if err := v.act("WEBHOOK.UPDATE", p, nil); err != nil {
		return v.retry(err, (*visit).editWebhook, webhookFields()...)
	}
	return v.done("The webhook was updated.", webhookPage(id))
}
