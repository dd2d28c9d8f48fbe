// Package webhooks is the room of webhooks and their deliveries.
package webhooks

import (
	"net/url"
	"slices"
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room, for people who are signed in.
func on(pattern string, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: kit.Person, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// webhooksPath is the list of a workspace's webhooks.
const webhooksPath = kit.Account + "/webhooks"

// deliveriesTab is the tab of the deliveries.
const deliveriesTab = "deliveries"

// Routes returns the webhook pages.
func Routes() []kit.Route {
	return []kit.Route{
		on("GET "+webhooksPath, (*visit).webhooks),
		on("GET "+webhooksPath+"/new", (*visit).newWebhook),
		on("POST "+webhooksPath+"/new", (*visit).createWebhook),
		on("GET "+webhooksPath+"/{id}", (*visit).webhook),
		on("GET "+webhooksPath+"/change/{id}", (*visit).editWebhook),
		on("POST "+webhooksPath+"/change", (*visit).changeWebhook),
		on("POST "+webhooksPath+"/test", (*visit).testWebhook),
		on("GET "+webhooksPath+"/rotate/{id}", (*visit).askSecret),
		on("POST "+webhooksPath+"/rotate", (*visit).rotateSecret),
		on("GET "+webhooksPath+"/off/{id}", (*visit).askOff),
		on("POST "+webhooksPath+"/off", (*visit).switchOff),
		on("POST "+webhooksPath+"/on", (*visit).switchOn),
		on("GET "+webhooksPath+"/delete/{id}", (*visit).askWebhook),
		on("POST "+webhooksPath+"/delete", (*visit).deleteWebhook),
		on("POST "+webhooksPath+"/recover", (*visit).recoverWebhook),
		on("GET "+webhooksPath+"/discard/{id}", (*visit).askDiscard),
		on("POST "+webhooksPath+"/discard", (*visit).discard),

		on("GET "+webhooksPath+"/deliveries", (*visit).deliveries),
		on("GET "+webhooksPath+"/deliveries/{id}", (*visit).delivery),
		on("POST "+webhooksPath+"/deliveries/replay", (*visit).replay),
	}
}

// webhookSection is the workspace of a webhook page.
type webhookSection struct{ kit.Section }

func (v *visit) webhookSection(tab string) (webhookSection, error) {
	in, err := v.Section(tab)
	return webhookSection{in}, err
}

// Tabs returns the webhook pages that the person may see.
func (r webhookSection) Tabs() []kit.Entry {
	if !r.May("webhooks:read") {
		return nil
	}
	return []kit.Entry{
		{Path: webhooksPath, Label: "Webhooks", Here: r.Tab == ""},
		{Path: webhooksPath + "/deliveries", Label: "Deliveries", Here: r.Tab == deliveriesTab},
	}
}

// webhook is a webhook for display.
type webhook struct{ client.Webhook }

func webhooksOf(all []client.Webhook) []webhook {
	shown := make([]webhook, len(all))
	for i, one := range all {
		shown[i] = webhook{one}
	}
	return shown
}

// EventSummary describes the subscribed events.
func (w webhook) EventSummary() string {
	if slices.Contains(w.Events, everyKind) {
		return "All events"
	}
	return strings.Join(w.Events, ", ")
}

// Why describes why the webhook is disabled.
func (w webhook) Why() string {
	switch w.DisabledReason {
	case "gone":
		return "The endpoint responded that it is gone (410)."
	case "failing":
		return "The endpoint accepted nothing for days."
	default:
		return "Disabled manually."
	}
}

// webhooksData is the data of the list of webhooks.
type webhooksData struct {
	webhookSection

	Items []webhook
	More  string
}

func (v *visit) webhooks() error {
	in, err := v.webhookSection("")
	if err != nil {
		return err
	}
	data := webhooksData{webhookSection: in}
	if in.May("webhooks:read") {
		const few = 20
		held, err := v.Me().WebhookList(v.Context(), client.WebhookListParams{Limit: new(few), OrgID: client.Given(in.Org), Cursor: client.Given(v.Cursor())})
		if err != nil {
			return err
		}
		data.Items, data.More = webhooksOf(held.Items), held.NextCursor
	}
	return v.Show("webhooks", "Webhooks", data)
}

// webhookData is the data of the page of a webhook.
type webhookData struct {
	webhookSection

	Webhook webhook
	// Stats covers the last 24 hours, and Deliveries the newest deliveries.
	Stats      webhookStats
	Deliveries []delivery
	// Kinds are the event kinds to choose from.
	Kinds []kindsOf
	// Tried is the result of a test delivery, or nil.
	Tried *client.WebhookTestResult
	// Made is the signing secret, if it was just created.
	Made *kit.Kept
}

// webhookStats counts deliveries by status.
type webhookStats struct{ client.WebhookStatsGetResult }

// Any reports whether there were any.
func (s webhookStats) Any() bool { return s.Succeeded+s.Failed+s.Dead+s.Pending > 0 }

// someWebhook returns the webhook of the path or the form.
func (v *visit) someWebhook() (webhookData, error) {
	in, err := v.webhookSection("")
	if err != nil {
		return webhookData{}, err
	}
	found, err := v.Me().WebhookGet(v.Context(), client.WebhookGetParams{WebhookID: v.ID("webhook_id"), OrgID: v.Org()})
	return webhookData{webhookSection: in, Webhook: webhook{found.Webhook}}, err
}

func (v *visit) webhook() error { return v.showWebhook(nil) }

// showWebhook shows a webhook, with the result of a test delivery if there is one.
func (v *visit) showWebhook(tried *client.WebhookTestResult) error {
	data, err := v.someWebhook()
	if err != nil {
		return err
	}
	data.Tried = tried
	stats, err := v.Me().WebhookStatsGet(v.Context(), client.WebhookStatsGetParams{WebhookID: new(data.Webhook.ID), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data.Stats = webhookStats{stats}
	const few = 10
	newest, err := v.Me().WebhookDeliveryList(v.Context(), client.WebhookDeliveryListParams{WebhookID: new(data.Webhook.ID), Limit: new(few), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data.Deliveries = deliveriesOf(newest.Items)
	if data.Kinds, err = v.kinds(); err != nil {
		return err
	}
	if made := v.State.Shown; made != nil && made.Name == data.Webhook.ID {
		whose := "Signing secret of " + data.Webhook.URL
		data.Made = &kit.Kept{Name: "the secret", Text: made.Key, FileName: "webhook-secret.txt", File: whose + "\n\n" + made.Key + "\n", For: whose}
		v.State.Shown = nil
	}
	return v.Show("webhook", "Webhook", data)
}

// everyKind subscribes to all event kinds, including future ones.
const everyKind = "*"

// kindsOf are the event kinds of a resource.
type kindsOf struct {
	Resource string
	Kinds    []eventKind
}

// eventKind is a kind of events for display.
type eventKind struct{ client.EventKind }

// Verb returns the part of the kind after the resource.
func (k eventKind) Verb() string {
	_, verb, _ := strings.Cut(k.Type, ".")
	return kit.Spaced(verb)
}

// kinds returns all event kinds by resource.
func (v *visit) kinds() ([]kindsOf, error) {
	all, err := v.Me().EventKindList(v.Context(), client.EventKindListParams{})
	if err != nil {
		return nil, err
	}
	var sorted []kindsOf
	for _, one := range all.Items {
		resource, _, _ := strings.Cut(one.Type, ".")
		if len(sorted) == 0 || sorted[len(sorted)-1].Resource != resource {
			sorted = append(sorted, kindsOf{Resource: resource})
		}
		last := &sorted[len(sorted)-1]
		last.Kinds = append(last.Kinds, eventKind{one})
	}
	return sorted, nil
}

// webhookPage returns the page of a webhook.
func webhookPage(id string) string { return webhooksPath + "/" + url.PathEscape(id) }

// askOf shows a confirmation page about a webhook.
func (v *visit) askOf(title, text, way, button string) error {
	in, err := v.Permitted("", "webhooks:write")
	if err != nil {
		return err
	}
	data, err := v.someWebhook()
	if err != nil {
		return err
	}
	return v.Show("question", title, kit.Question{
		Name: data.Webhook.URL, Text: text, Org: in.Org, Action: webhooksPath + way, Field: "webhook_id", Value: data.Webhook.ID,
		Button: button, Back: webhookPage(data.Webhook.ID),
	})
}

func (v *visit) askSecret() error {
	return v.askOf("Rotate the signing secret?", "Messages are signed with a new secret. For 24 hours they also carry a signature from the current one, so that you can switch your endpoint over.",
		"/rotate", "Rotate secret")
}

func (v *visit) rotateSecret() error {
	id := v.Form.Text("webhook_id")
	made, err := v.Me().WebhookRotateSecret(v.Context(), client.WebhookRotateSecretParams{WebhookID: id, OrgID: v.Org()})
	if err != nil {
		return v.Retry(err, v.webhook)
	}
	v.State.Shown = &kit.Shown{Key: made.SigningSecret, Name: id}
	return v.Redirect(webhookPage(id))
}

func (v *visit) askOff() error {
	return v.askOf("Disable this webhook?", "The endpoint receives no more events, and its pending messages become dead letters. You can resend them after you enable it again.",
		"/off", "Disable webhook")
}

func (v *visit) switchOff() error { return v.enable(false, "The webhook is disabled.") }
func (v *visit) switchOn() error {
	return v.enable(true, "The webhook is enabled. It receives events from now on.")
}

// enable enables or disables a webhook.
func (v *visit) enable(on bool, said string) error {
	id := v.Form.Text("webhook_id")
	if _, err := v.Me().WebhookUpdate(v.Context(), client.WebhookUpdateParams{WebhookID: id, Enabled: new(on), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.webhook)
	}
	return v.Done(said, webhookPage(id))
}

func (v *visit) askWebhook() error {
	return v.askOf("Delete this webhook?", "The endpoint receives no more events, and its signing secret is deleted. Past deliveries stay listed.", "/delete", "Delete webhook")
}

func (v *visit) deleteWebhook() error {
	if _, err := v.Me().WebhookDelete(v.Context(), client.WebhookDeleteParams{WebhookID: v.Form.Text("webhook_id"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.webhooks)
	}
	return v.Done("The webhook was deleted.", webhooksPath)
}
