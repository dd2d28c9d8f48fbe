package pages

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// webhooksPath is the list of a workspace's webhooks.
const webhooksPath = account + "/webhooks"

// deliveriesTab is the tab of the deliveries.
const deliveriesTab = "deliveries"

// webhookRoutes returns the webhook pages.
func webhookRoutes() []route {
	return []route{
		{"GET " + webhooksPath, person, (*visit).webhooks},
		{"GET " + webhooksPath + "/new", person, (*visit).newWebhook},
		{"POST " + webhooksPath + "/new", person, (*visit).createWebhook},
		{"GET " + webhooksPath + "/{id}", person, (*visit).webhook},
		{"GET " + webhooksPath + "/change/{id}", person, (*visit).editWebhook},
		{"POST " + webhooksPath + "/change", person, (*visit).changeWebhook},
		{"POST " + webhooksPath + "/test", person, (*visit).testWebhook},
		{"GET " + webhooksPath + "/rotate/{id}", person, (*visit).askSecret},
		{"POST " + webhooksPath + "/rotate", person, (*visit).rotateSecret},
		{"GET " + webhooksPath + "/off/{id}", person, (*visit).askOff},
		{"POST " + webhooksPath + "/off", person, (*visit).switchOff},
		{"POST " + webhooksPath + "/on", person, (*visit).switchOn},
		{"GET " + webhooksPath + "/delete/{id}", person, (*visit).askWebhook},
		{"POST " + webhooksPath + "/delete", person, (*visit).deleteWebhook},
		{"POST " + webhooksPath + "/recover", person, (*visit).recoverWebhook},
		{"GET " + webhooksPath + "/discard/{id}", person, (*visit).askDiscard},
		{"POST " + webhooksPath + "/discard", person, (*visit).discard},

		{"GET " + webhooksPath + "/deliveries", person, (*visit).deliveries},
		{"GET " + webhooksPath + "/deliveries/{id}", person, (*visit).delivery},
		{"POST " + webhooksPath + "/deliveries/replay", person, (*visit).replay},
	}
}

// webhookSection is the workspace of a webhook page.
type webhookSection struct{ workspaceSection }

func (v *visit) webhookSection(tab string) (webhookSection, error) {
	in, err := v.workspaceSection(tab)
	return webhookSection{in}, err
}

// Tabs returns the webhook pages that the person may see.
func (r webhookSection) Tabs() []entry {
	if !r.May("webhooks:read") {
		return nil
	}
	return []entry{
		{Path: webhooksPath, Label: "Webhooks", Here: r.Tab == ""},
		{Path: webhooksPath + "/deliveries", Label: "Deliveries", Here: r.Tab == deliveriesTab},
	}
}

type webhook struct {
	ID             string    `json:"id"`
	URL            string    `json:"url"`
	Events         []string  `json:"events"`
	Description    string    `json:"description"`
	Headers        []string  `json:"headers"`
	RateLimit      int       `json:"rate_limit"`
	Enabled        bool      `json:"enabled"`
	DisabledReason string    `json:"disabled_reason"`
	FailureStreak  int       `json:"failure_streak"`
	FailingSince   time.Time `json:"failing_since"`
	CreatedAt      time.Time `json:"created_at"`
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
		var held list[webhook]
		if err := v.act("WEBHOOK.LIST", params{"limit": few}.text("org_id", in.Org).text("cursor", v.cursor()), &held); err != nil {
			return err
		}
		data.Items, data.More = held.Items, held.NextCursor
	}
	return v.show("webhooks", "Webhooks", data)
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
	Tried *testDelivery
	// Made is the signing secret, if it was just created.
	Made *kept
}

// webhookStats counts deliveries by status.
type webhookStats struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Dead      int `json:"dead"`
	Pending   int `json:"pending"`
	Latency   struct {
		P50 int `json:"p50"`
		P95 int `json:"p95"`
	} `json:"latency_ms"`
}

// Any reports whether there were any.
func (s webhookStats) Any() bool { return s.Succeeded+s.Failed+s.Dead+s.Pending > 0 }

// someWebhook returns the webhook of the path or the form.
func (v *visit) someWebhook() (webhookData, error) {
	in, err := v.webhookSection("")
	if err != nil {
		return webhookData{}, err
	}
	var found struct {
		Webhook webhook `json:"webhook"`
	}
	err = v.act("WEBHOOK.GET", params{"webhook_id": v.id("webhook_id")}, &found)
	return webhookData{webhookSection: in, Webhook: found.Webhook}, err
}

func (v *visit) webhook() error { return v.showWebhook(nil) }

// showWebhook shows a webhook, with the result of a test delivery if there is one.
func (v *visit) showWebhook(tried *testDelivery) error {
	data, err := v.someWebhook()
	if err != nil {
		return err
	}
	data.Tried = tried
	if err := v.act("WEBHOOK.STATS_GET", params{"webhook_id": data.Webhook.ID}, &data.Stats); err != nil {
		return err
	}
	const few = 10
	var newest list[delivery]
	if err := v.act("WEBHOOK.DELIVERY_LIST", params{"webhook_id": data.Webhook.ID, "limit": few}, &newest); err != nil {
		return err
	}
	data.Deliveries = newest.Items
	if data.Kinds, err = v.kinds(); err != nil {
		return err
	}
	if made := v.state.Shown; made != nil && made.Name == data.Webhook.ID {
		whose := "Signing secret of " + data.Webhook.URL
		data.Made = &kept{Name: "the secret", Text: made.Key, FileName: "webhook-secret.txt", File: whose + "\n\n" + made.Key + "\n", For: whose}
		v.state.Shown = nil
	}
	return v.show("webhook", "Webhook", data)
}

// everyKind subscribes to all event kinds, including future ones.
const everyKind = "*"

// kindsOf are the event kinds of a resource.
type kindsOf struct {
	Resource string
	Kinds    []eventKind
}

type eventKind struct {
	Type    string `json:"type"`
	Summary string `json:"summary"`
}

// Verb returns the part of the kind after the resource.
func (k eventKind) Verb() string {
	_, verb, _ := strings.Cut(k.Type, ".")
	return spaced(verb)
}

// kinds returns all event kinds by resource.
func (v *visit) kinds() ([]kindsOf, error) {
	var all list[eventKind]
	if err := v.call("EVENT.KIND_LIST", nil, &all); err != nil {
		return nil, err
	}
	var sorted []kindsOf
	for _, one := range all.Items {
		resource, _, _ := strings.Cut(one.Type, ".")
		if len(sorted) == 0 || sorted[len(sorted)-1].Resource != resource {
			sorted = append(sorted, kindsOf{Resource: resource})
		}
		last := &sorted[len(sorted)-1]
		last.Kinds = append(last.Kinds, one)
	}
	return sorted, nil
}

// webhookPage returns the page of a webhook.
func webhookPage(id string) string { return webhooksPath + "/" + url.PathEscape(id) }

// askOf shows a confirmation page about a webhook.
func (v *visit) askOf(title, text, way, button string) error {
	in, err := v.workspaceForm("", "webhooks:write")
	if err != nil {
		return err
	}
	data, err := v.someWebhook()
	if err != nil {
		return err
	}
	return v.show("question", title, question{
		Name: data.Webhook.URL, Text: text, Org: in.Org, Action: webhooksPath + way, Field: "webhook_id", Value: data.Webhook.ID,
		Button: button, Back: webhookPage(data.Webhook.ID),
	})
}

func (v *visit) askSecret() error {
	return v.askOf("Rotate the signing secret?", "Messages are signed with a new secret. For 24 hours they also carry a signature from the current one, so that you can switch your endpoint over.",
		"/rotate", "Rotate secret")
}

func (v *visit) rotateSecret() error {
	var made struct {
		Secret string `json:"signing_secret"`
	}
	id := v.form.text("webhook_id")
	if err := v.act("WEBHOOK.ROTATE_SECRET", params{"webhook_id": id}, &made); err != nil {
		return v.retry(err, (*visit).webhook)
	}
	v.state.Shown = &shown{Key: made.Secret, Name: id}
	return v.redirect(webhookPage(id))
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
	id := v.form.text("webhook_id")
	if err := v.act("WEBHOOK.UPDATE", params{"webhook_id": id, "enabled": on}, nil); err != nil {
		return v.retry(err, (*visit).webhook)
	}
	return v.done(said, webhookPage(id))
}

func (v *visit) askWebhook() error {
	return v.askOf("Delete this webhook?", "The endpoint receives no more events, and its signing secret is deleted. Past deliveries stay listed.", "/delete", "Delete webhook")
}

func (v *visit) deleteWebhook() error {
	if err := v.act("WEBHOOK.DELETE", params{"webhook_id": v.form.text("webhook_id")}, nil); err != nil {
		return v.retry(err, (*visit).webhooks)
	}
	return v.done("The webhook was deleted.", webhooksPath)
}
