package webhooks

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/adapters/pages/kit"
)

// delivery is a message to a webhook and its delivery status.
type delivery struct {
	ID            string    `json:"id"`
	WebhookID     string    `json:"webhook_id"`
	Type          string    `json:"type"`
	Status        string    `json:"status"`
	Attempts      int       `json:"attempts"`
	StatusCode    int       `json:"status_code"`
	Error         string    `json:"error"`
	NextAttemptAt time.Time `json:"next_attempt_at"`
	CreatedAt     time.Time `json:"created_at"`
	FinishedAt    time.Time `json:"finished_at"`
}

// labeledStatus is a delivery status and its label.
type labeledStatus struct{ Status, Label string }

func statesOf() []labeledStatus {
	return []labeledStatus{
		{"pending", "pending"},
		{"delivering", "sending"},
		{"succeeded", "delivered"},
		{"failed", "failed, will retry"},
		{"dead", "dead letter"},
	}
}

// State returns the label of the status.
func (d delivery) State() string {
	for _, one := range statesOf() {
		if one.Status == d.Status {
			return one.Label
		}
	}
	return d.Status
}

// Good reports whether the message was delivered, and Bad whether its last attempt
// failed.
func (d delivery) Good() bool { return d.Status == "succeeded" }

func (d delivery) Bad() bool { return d.Status == "failed" || d.Status == "dead" }

// Over reports whether no further attempt is scheduled.
func (d delivery) Over() bool { return d.Status == "succeeded" || d.Status == "dead" }

// Last describes the result of the last attempt, or is empty.
func (d delivery) Last() string { return responseText(d.StatusCode, d.Error) }

// Next describes when the next attempt is due.
func (d delivery) Next(now time.Time) string {
	if wait := d.NextAttemptAt.Sub(now); wait > 0 {
		return "in " + kit.Span(wait)
	}
	return "now"
}

// responseText describes the response of a receiver, or the error.
func responseText(status int, wrong string) string {
	switch {
	case status != 0 && wrong != "":
		return "status " + strconv.Itoa(status) + ": " + wrong
	case status != 0:
		return "status " + strconv.Itoa(status)
	default:
		return wrong
	}
}

// deliveriesData is the data of the list of deliveries.
type deliveriesData struct {
	webhookSection

	Deliveries []delivery
	More       string
	// Status and WebhookID are the filters.
	Status, WebhookID string
	States            []labeledStatus
}

func (v *visit) deliveries() error {
	in, err := v.webhookSection(deliveriesTab)
	if err != nil {
		return err
	}
	const few = 20
	data := deliveriesData{webhookSection: in, Status: v.Searched("status"), WebhookID: v.Searched("webhook_id"), States: statesOf()}
	p := kit.Params{"limit": few}.Text("org_id", in.Org).Text("status", data.Status).Text("webhook_id", data.WebhookID)
	var held kit.List[delivery]
	if err := v.Act("WEBHOOK.DELIVERY_LIST", p.Text("cursor", v.Cursor()), &held); err != nil {
		return err
	}
	data.Deliveries, data.More = held.Items, held.NextCursor
	return v.Show("deliveries", "Deliveries", data)
}

// attempt is one delivery attempt.
type attempt struct {
	At         time.Time `json:"at"`
	StatusCode int       `json:"status_code"`
	DurationMS int       `json:"duration_ms"`
	Error      string    `json:"error"`
	Excerpt    string    `json:"response_excerpt"`
}

// Good reports whether the receiver accepted the message.
func (a attempt) Good() bool { return a.StatusCode/100 == 2 }

// Came describes the result.
func (a attempt) Came() string { return kit.Sentence(responseText(a.StatusCode, a.Error)) }

// deliveryData is the data of the page of a delivery.
type deliveryData struct {
	webhookSection

	Delivery delivery
	Attempts []attempt
	// URL is the address of the webhook; empty if the webhook was deleted.
	URL string
	// Payload and Happened are the content and the time of the event; empty if the event is no
	// longer stored.
	Payload  []kit.Fact
	Happened time.Time
}

func (v *visit) delivery() error {
	in, err := v.webhookSection(deliveriesTab)
	if err != nil {
		return err
	}
	var found struct {
		Delivery delivery       `json:"delivery"`
		Attempts []attempt      `json:"attempts"`
		Payload  jsontext.Value `json:"payload"`
	}
	if err := v.Act("WEBHOOK.DELIVERY_GET", kit.Params{"delivery_id": v.ID("delivery_id")}, &found); err != nil {
		return err
	}
	data := deliveryData{webhookSection: in, Delivery: found.Delivery, Attempts: found.Attempts}
	var message struct {
		Timestamp time.Time      `json:"timestamp"`
		Data      map[string]any `json:"data"`
	}
	if err := json.Unmarshal(found.Payload, &message); err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	data.Happened, data.Payload = message.Timestamp, facts("", message.Data)
	var to struct {
		Webhook webhook `json:"webhook"`
	}
	if v.Act("WEBHOOK.GET", kit.Params{"webhook_id": found.Delivery.WebhookID}, &to) == nil {
		data.URL = to.Webhook.URL
	}
	return v.Show("delivery", found.Delivery.Type, data)
}

// facts returns the values of an object sorted by name, with the names of nested values
// prefixed by within.
func facts(within string, object map[string]any) []kit.Fact {
	var all []kit.Fact
	for _, name := range slices.Sorted(maps.Keys(object)) {
		label := strings.TrimSpace(within + " " + kit.Spaced(name))
		if inner, is := object[name].(map[string]any); is {
			all = append(all, facts(label, inner)...)
		} else if value := valueText(object[name]); value != "" {
			all = append(all, kit.Fact{Name: label, Value: value})
		}
	}
	return all
}

// valueText formats a JSON value as text; empty for no value.
func valueText(value any) string {
	switch one := value.(type) {
	case nil:
		return ""
	case string:
		return one
	case bool:
		if one {
			return "yes"
		}
		return "no"
	case float64:
		return strconv.FormatFloat(one, 'f', -1, 64)
	case []any:
		var said []string
		for _, each := range one {
			said = append(said, valueText(each))
		}
		return strings.Join(said, ", ")
	case map[string]any:
		var said []string
		for _, each := range facts("", one) {
			said = append(said, each.Name+" "+each.Value)
		}
		return strings.Join(said, ", ")
	default:
		return fmt.Sprint(one)
	}
}

// replay sends a message again.
func (v *visit) replay() error {
	id := v.Form.Text("delivery_id")
	if err := v.Act("WEBHOOK.REPLAY", kit.Params{"delivery_id": id}, nil); err != nil {
		return v.Retry(err, v.delivery)
	}
	return v.Done("The message will be sent again.", webhooksPath+"/deliveries/"+url.PathEscape(id))
}

// recoverDays is the maximum age of an outage that the page recovers from, in days.
const recoverDays = 30

// recoverWebhook sends the failed and pending messages of the last days again, and
// optionally the events that have no message yet.
func (v *visit) recoverWebhook() error {
	id, days := v.Form.Text("webhook_id"), v.Form.Text("days")
	n, err := strconv.Atoi(days)
	if err != nil || n < 1 || n > recoverDays {
		return v.Complain(v.webhook, "days", "Enter a number from 1 to 30.")
	}
	p := kit.Params{"webhook_id": id, "from": v.Site.Clock.Now().AddDate(0, 0, -n), "include_missing": v.Form.Text("missing") != ""}
	if err := v.Act("WEBHOOK.BULK_REPLAY", p, nil); err != nil {
		return v.Retry(err, v.webhook, "days")
	}
	return v.Done("Missed messages will be resent within minutes.", webhookPage(id))
}

func (v *visit) askDiscard() error {
	return v.askOf("Discard dead letters?", "This permanently deletes all dead letters of this endpoint, with their attempts. They can't be sent again.", "/discard", "Discard")
}

func (v *visit) discard() error {
	id := v.Form.Text("webhook_id")
	var gone struct {
		Discarded int `json:"discarded"`
	}
	if err := v.Act("WEBHOOK.DEAD_LETTER_DISCARD", kit.Params{"webhook_id": id}, &gone); err != nil {
		return v.Retry(err, v.webhook)
	}
	return v.Done("Discarded "+kit.Plural(gone.Discarded, "dead letter", "dead letters")+".", webhookPage(id))
}

// testDelivery is the response of a receiver to an example event.
type testDelivery struct {
	Delivered  bool   `json:"delivered"`
	StatusCode int    `json:"status_code"`
	DurationMS int    `json:"duration_ms"`
	Excerpt    string `json:"response_excerpt"`
}

func (v *visit) testWebhook() error {
	var came testDelivery
	p := kit.Params{"webhook_id": v.Form.Text("webhook_id")}.Text("type", v.Form.Text("type"))
	if err := v.Act("WEBHOOK.TEST", p, &came); err != nil {
		return v.Retry(err, v.webhook, "type")
	}
	return v.showWebhook(&came)
}
