// Package webhooks is the room of webhooks and their deliveries.
package webhooks

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/adapters/pages/kit"
)

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room.
func on(pattern string, who kit.Audience, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: who, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// webhooksPath is the list of a workspace's webhooks.
const webhooksPath = kit.Account + "/webhooks"

// deliveriesTab is the tab of the deliveries.
const deliveriesTab = "deliveries"

// Routes returns the webhook pages.
func Routes() []kit.Route {
	return []kit.Route{
		on("GET "+webhooksPath, kit.Person, (*visit).webhooks),
		on("GET "+webhooksPath+"/new", kit.Person, (*visit).newWebhook),
		on("POST "+webhooksPath+"/new", kit.Person, (*visit).createWebhook),
		on("GET "+webhooksPath+"/{id}", kit.Person, (*visit).webhook),
		on("GET "+webhooksPath+"/change/{id}", kit.Person, (*visit).editWebhook),
		on("POST "+webhooksPath+"/change", kit.Person, (*visit).changeWebhook),
		on("POST "+webhooksPath+"/test", kit.Person, (*visit).testWebhook),
		on("GET "+webhooksPath+"/rotate/{id}", kit.Person, (*visit).askSecret),
		on("POST "+webhooksPath+"/rotate", kit.Person, (*visit).rotateSecret),
		on("GET "+webhooksPath+"/off/{id}", kit.Person, (*visit).askOff),
		on("POST "+webhooksPath+"/off", kit.Person, (*visit).switchOff),
		on("POST "+webhooksPath+"/on", kit.Person, (*visit).switchOn),
		on("GET "+webhooksPath+"/delete/{id}", kit.Person, (*visit).askWebhook),
		on("POST "+webhooksPath+"/delete", kit.Person, (*visit).deleteWebhook),
		on("POST "+webhooksPath+"/recover", kit.Person, (*visit).recoverWebhook),
		on("GET "+webhooksPath+"/discard/{id}", kit.Person, (*visit).askDiscard),
		on("POST "+webhooksPath+"/discard", kit.Person, (*visit).discard),

		on("GET "+webhooksPath+"/deliveries", kit.Person, (*visit).deliveries),
		on("GET "+webhooksPath+"/deliveries/{id}", kit.Person, (*visit).delivery),
		on("POST "+webhooksPath+"/deliveries/replay", kit.Person, (*visit).replay),
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
		var held kit.List[webhook]
		if err := v.Act("WEBHOOK.LIST", kit.Params{"limit": few}.Text("org_id", in.Org).Text("cursor", v.Cursor()), &held); err != nil {
			return err
		}
		data.Items, data.More = held.Items, held.NextCursor
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
	Tried *testDelivery
	// Made is the signing secret, if it was just created.
	Made *kit.Kept
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
	err = v.Act("WEBHOOK.GET", kit.Params{"webhook_id": v.ID("webhook_id")}, &found)
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
	if err := v.Act("WEBHOOK.STATS_GET", kit.Params{"webhook_id": data.Webhook.ID}, &data.Stats); err != nil {
		return err
	}
	const few = 10
	var newest kit.List[delivery]
	if err := v.Act("WEBHOOK.DELIVERY_LIST", kit.Params{"webhook_id": data.Webhook.ID, "limit": few}, &newest); err != nil {
		return err
	}
	data.Deliveries = newest.Items
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

type eventKind struct {
	Type    string `json:"type"`
	Summary string `json:"summary"`
}

// Verb returns the part of the kind after the resource.
func (k eventKind) Verb() string {
	_, verb, _ := strings.Cut(k.Type, ".")
	return kit.Spaced(verb)
}

// kinds returns all event kinds by resource.
func (v *visit) kinds() ([]kindsOf, error) {
	var all kit.List[eventKind]
	if err := v.Call("EVENT.KIND_LIST", nil, &all); err != nil {
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
	var made struct {
		Secret string `json:"signing_secret"`
	}
	id := v.Form.Text("webhook_id")
	if err := v.Act("WEBHOOK.ROTATE_SECRET", kit.Params{"webhook_id": id}, &made); err != nil {
		return v.Retry(err, v.webhook)
	}
	v.State.Shown = &kit.Shown{Key: made.Secret, Name: id}
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
	if err := v.Act("WEBHOOK.UPDATE", kit.Params{"webhook_id": id, "enabled": on}, nil); err != nil {
		return v.Retry(err, v.webhook)
	}
	return v.Done(said, webhookPage(id))
}

func (v *visit) askWebhook() error {
	return v.askOf("Delete this webhook?", "The endpoint receives no more events, and its signing secret is deleted. Past deliveries stay listed.", "/delete", "Delete webhook")
}

func (v *visit) deleteWebhook() error {
	if err := v.Act("WEBHOOK.DELETE", kit.Params{"webhook_id": v.Form.Text("webhook_id")}, nil); err != nil {
		return v.Retry(err, v.webhooks)
	}
	return v.Done("The webhook was deleted.", webhooksPath)
}
