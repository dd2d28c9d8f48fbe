package pages

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// webhooksPath is the page of the addresses that a workspace has told of its events.
const webhooksPath = account + "/webhooks"

// deliveriesTab is the tab of what was delivered to them.
const deliveriesTab = "deliveries"

// webhookRoutes returns what people do with the webhooks of their workspace.
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

// receivers is the active workspace with what the person may do with its webhooks.
type receivers struct{ room }

// receivers asks for the active workspace.
func (v *visit) receivers(tab string) (receivers, error) {
	in, err := v.room(tab)
	return receivers{in}, err
}

// Tabs returns the pages about webhooks that the person may see.
func (r receivers) Tabs() []entry {
	if !r.May("webhooks:read") {
		return nil
	}
	return []entry{
		{Path: webhooksPath, Label: "Webhooks", Here: r.Tab == ""},
		{Path: webhooksPath + "/deliveries", Label: "Deliveries", Here: r.Tab == deliveriesTab},
	}
}

// webhook is an address that is told of events.
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

// ToldOf says which events it is told of.
func (w webhook) ToldOf() string {
	if slices.Contains(w.Events, everyKind) {
		return "Every event"
	}
	return strings.Join(w.Events, ", ")
}

// Why says why it is told of nothing.
func (w webhook) Why() string {
	switch w.DisabledReason {
	case "gone":
		return "The receiver said that it is gone for good (410)."
	case "failing":
		return "The receiver took nothing for days."
	default:
		return "Somebody switched it off."
	}
}

// webhooksData is what the page of all webhooks shows.
type webhooksData struct {
	receivers

	Items []webhook
	More  string
}

func (v *visit) webhooks() error {
	in, err := v.receivers("")
	if err != nil {
		return err
	}
	data := webhooksData{receivers: in}
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

// webhookData is what the pages of one webhook show.
type webhookData struct {
	receivers

	Webhook webhook
	// Stats are those of the last day, and Deliveries the newest.
	Stats      webhookStats
	Deliveries []delivery
	// Kinds are those that a form offers.
	Kinds []kindsOf
	// Tried is what the receiver answered to a message that was just sent to try it.
	Tried *trial
	// Made is the secret, right after that was made.
	Made *kept
}

// webhookStats are what became of deliveries.
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

// someWebhook asks for a webhook.
func (v *visit) someWebhook() (webhookData, error) {
	in, err := v.receivers("")
	if err != nil {
		return webhookData{}, err
	}
	var found struct {
		Webhook webhook `json:"webhook"`
	}
	err = v.act("WEBHOOK.GET", params{"webhook_id": v.id("webhook_id")}, &found)
	return webhookData{receivers: in, Webhook: found.Webhook}, err
}

func (v *visit) webhook() error { return v.showWebhook(nil) }

// showWebhook shows a webhook, with what came of trying it, if it was tried.
func (v *visit) showWebhook(tried *trial) error {
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

// everyKind stands for all kinds of events, also those to come.
const everyKind = "*"

// kindsOf are the kinds of events about something.
type kindsOf struct {
	Resource string
	Kinds    []eventKind
}

// eventKind is a kind of event.
type eventKind struct {
	Type    string `json:"type"`
	Summary string `json:"summary"`
}

// Verb returns what happens to the resource.
func (k eventKind) Verb() string {
	_, verb, _ := strings.Cut(k.Type, ".")
	return spaced(verb)
}

// kinds returns all kinds of events.
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

// askOf asks a question about a webhook.
func (v *visit) askOf(title, text, way, button string) error {
	in, err := v.workbench("", "webhooks:write")
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
	return v.askOf("Make a new secret?", "Messages are signed by the new one. For 24 hours the one before signs them too, so that the receiver can change over.",
		"/rotate", "Make a new secret")
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
	return v.askOf("Switch off this webhook?", "It is told of nothing any more, and what waits to be sent is given up. That can be sent again once the webhook is on.",
		"/off", "Switch off")
}

func (v *visit) switchOff() error { return v.enable(false, "The webhook is off.") }
func (v *visit) switchOn() error {
	return v.enable(true, "The webhook is on. It is told of what happens from now on.")
}

// enable switches a webhook on or off.
func (v *visit) enable(on bool, said string) error {
	id := v.form.text("webhook_id")
	if err := v.act("WEBHOOK.UPDATE", params{"webhook_id": id, "enabled": on}, nil); err != nil {
		return v.retry(err, (*visit).webhook)
	}
	return v.done(said, webhookPage(id))
}

func (v *visit) askWebhook() error {
	return v.askOf("Delete this webhook?", "It is told of nothing any more, and its secret is gone. What was delivered stays listed.", "/delete", "Delete")
}

func (v *visit) deleteWebhook() error {
	if err := v.act("WEBHOOK.DELETE", params{"webhook_id": v.form.text("webhook_id")}, nil); err != nil {
		return v.retry(err, (*visit).webhooks)
	}
	return v.done("The webhook was deleted.", webhooksPath)
}
