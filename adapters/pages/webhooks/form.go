package webhooks

import (
	"net/url"
	"strconv"
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

func (v *visit) newWebhook() error {
	in, err := v.Permitted("", "webhooks:write")
	if err != nil {
		return err
	}
	data := webhookData{webhookSection: webhookSection{in}}
	if data.Kinds, err = v.kinds(); err != nil {
		return err
	}
	if v.Form.Values == nil {
		v.Form.Values = url.Values{"events": {everyKind}}
	}
	return v.Show("editwebhook", "New webhook", data)
}

// webhookParams returns the parameters of the webhook form, or the invalid field and its error.
// An empty selection of events is an error here, since the commands take it as all
// events.
func (v *visit) webhookParams() (p kit.Params, wrong, complaint string) {
	chosen := v.Form.Values["events"]
	if len(chosen) == 0 {
		return nil, "events", "Select at least one event type, or all events."
	}
	p = kit.Params{"url": v.Form.Text("url"), "events": chosen, "description": v.Form.Text("description")}
	v.Integers(p, "rate_limit")
	headers, whole := headersOf(v.Form.Text("headers"))
	switch {
	case !whole:
		return nil, "headers", "Enter one header per line: a name, a colon and a value."
	case len(headers) > 0 || v.Form.Has("headerless", "yes"):
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
		return v.Complain(v.newWebhook, wrong, complaint)
	}
	var made client.WebhookCreateResult
	if err := v.Act("WEBHOOK.CREATE", p, &made); err != nil {
		return v.Retry(err, v.newWebhook, webhookFields()...)
	}
	v.State.Shown = &kit.Shown{Key: made.SigningSecret, Name: made.Webhook.ID}
	return v.Redirect(webhookPage(made.Webhook.ID))
}

func (v *visit) editWebhook() error {
	if _, err := v.Permitted("", "webhooks:write"); err != nil {
		return err
	}
	data, err := v.someWebhook()
	if err != nil {
		return err
	}
	if data.Kinds, err = v.kinds(); err != nil {
		return err
	}
	if v.Form.Values == nil {
		one := data.Webhook
		v.Form.Values = url.Values{"url": {one.URL}, "events": one.Events, "description": {one.Description}}
		if one.RateLimit != nil {
			v.Form.Values.Set("rate_limit", strconv.Itoa(*one.RateLimit))
		}
	}
	return v.Show("editwebhook", "Edit webhook", data)
}

func (v *visit) changeWebhook() error {
	p, wrong, complaint := v.webhookParams()
	if wrong != "" {
		return v.Complain(v.editWebhook, wrong, complaint)
	}
	id := v.Form.Text("webhook_id")
	p["webhook_id"] = id
	if p["rate_limit"] == nil {
		p["rate_limit"] = 0 // no limit
	}
	if err := v.Act("WEBHOOK.UPDATE", p, nil); err != nil {
		return v.Retry(err, v.editWebhook, webhookFields()...)
	}
	return v.Done("The webhook was updated.", webhookPage(id))
}
