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

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// delivery is a message to a webhook and its delivery status.
type delivery struct{ client.WebhookDelivery }

func deliveriesOf(all []client.WebhookDelivery) []delivery {
	shown := make([]delivery, len(all))
	for i, one := range all {
		shown[i] = delivery{one}
	}
	return shown
}

// labeledStatus is a delivery status and its label.
type labeledStatus struct {
	Status client.WebhookDeliveryStatus
	Label  string
}

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
	return string(d.Status)
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
func responseText(answered *int, wrong string) string {
	status := 0
	if answered != nil {
		status = *answered
	}
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
	held, err := v.Me().WebhookDeliveryList(v.Context(), client.WebhookDeliveryListParams{
		Limit: new(few), OrgID: client.Given(in.Org), Status: client.Given(client.WebhookDeliveryStatus(data.Status)), WebhookID: client.Given(data.WebhookID), Cursor: client.Given(v.Cursor()),
	})
	if err != nil {
		return err
	}
	data.Deliveries, data.More = deliveriesOf(held.Items), held.NextCursor
	return v.Show("deliveries", "Deliveries", data)
}

// attempt is one delivery attempt.
type attempt struct{ client.WebhookAttempt }

// Good reports whether the receiver accepted the message.
func (a attempt) Good() bool { return a.StatusCode != nil && *a.StatusCode/100 == 2 }

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
	found, err := v.Me().WebhookDeliveryGet(v.Context(), client.WebhookDeliveryGetParams{DeliveryID: v.ID("delivery_id"), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data := deliveryData{webhookSection: in, Delivery: delivery{found.Delivery}}
	for _, one := range found.Attempts {
		data.Attempts = append(data.Attempts, attempt{one})
	}
	var message struct {
		Timestamp time.Time      `json:"timestamp"`
		Data      map[string]any `json:"data"`
	}
	if err := json.Unmarshal(found.Payload, &message); err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	data.Happened, data.Payload = message.Timestamp, facts("", message.Data)
	if to, err := v.Me().WebhookGet(v.Context(), client.WebhookGetParams{WebhookID: found.Delivery.WebhookID, OrgID: v.Org()}); err == nil {
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
	if _, err := v.Me().WebhookReplay(v.Context(), client.WebhookReplayParams{DeliveryID: id, OrgID: v.Org()}); err != nil {
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
	_, err = v.Me().WebhookBulkReplay(v.Context(), client.WebhookBulkReplayParams{
		WebhookID: id, From: v.Site.Clock.Now().AddDate(0, 0, -n), IncludeMissing: new(v.Form.Text("missing") != ""), OrgID: v.Org(),
	})
	if err != nil {
		return v.Retry(err, v.webhook, "days")
	}
	return v.Done("Missed messages will be resent within minutes.", webhookPage(id))
}

func (v *visit) askDiscard() error {
	return v.askOf("Discard dead letters?", "This permanently deletes all dead letters of this endpoint, with their attempts. They can't be sent again.", "/discard", "Discard")
}

func (v *visit) discard() error {
	id := v.Form.Text("webhook_id")
	gone, err := v.Me().WebhookDeadLetterDiscard(v.Context(), client.WebhookDeadLetterDiscardParams{WebhookID: new(id), OrgID: v.Org()})
	if err != nil {
		return v.Retry(err, v.webhook)
	}
	return v.Done("Discarded "+kit.Plural(gone.Discarded, "dead letter", "dead letters")+".", webhookPage(id))
}

// testWebhook sends an example event, and shows the response of the receiver.
func (v *visit) testWebhook() error {
	came, err := v.Me().WebhookTest(v.Context(), client.WebhookTestParams{WebhookID: v.Form.Text("webhook_id"), Type: client.Given(v.Form.Text("type")), OrgID: v.Org()})
	if err != nil {
		return v.Retry(err, v.webhook, "type")
	}
	return v.showWebhook(&came)
}
