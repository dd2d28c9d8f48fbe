package config_test

import (
	"strings"
	"testing"

	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/billing"
)

func TestProcessorConfig(t *testing.T) {
	t.Parallel()
	c := load(t, "STRIPE_SECRET_KEY=sk_live_1", "STRIPE_WEBHOOK_SECRET=whsec_1")
	got := c.Processors()
	if len(got) != 1 || got[0].Account() != (billing.Account{Processor: "stripe", Mode: billing.Live}) || got[0].SecretKey.Reveal() != "sk_live_1" {
		t.Errorf("the processors are %+v", got)
	}
	c = load(t, "POLAR_SECRET_KEY=polar_oat_1", "POLAR_WEBHOOK_SECRET=polar_whs_1", "POLAR_MODE=live")
	if got = c.Processors(); len(got) != 1 || got[0].Account() != (billing.Account{Processor: "polar", Mode: billing.Live}) {
		t.Errorf("the processors are %+v", got)
	}
	c = load(t, "PADDLE_SECRET_KEY=pdl_sdbx_apikey_1", "PADDLE_WEBHOOK_SECRET=pdl_ntfset_1", "PADDLE_CLIENT_TOKEN=test_1")
	if got = c.Processors(); len(got) != 1 || got[0].Account() != (billing.Account{Processor: "paddle", Mode: billing.Test}) || got[0].ClientToken != "test_1" {
		t.Errorf("the processors are %+v", got)
	}
	c = load(t, "MOLLIE_SECRET_KEY=live_1")
	if got = c.Processors(); len(got) != 1 || got[0].Account() != (billing.Account{Processor: "mollie", Mode: billing.Live}) {
		t.Errorf("the processors are %+v", got)
	}
	c = load(t, "PAYPAL_SECRET_KEY=id:secret", "PAYPAL_WEBHOOK_SECRET=w", "PAYPAL_MODE=test")
	if got = c.Processors(); len(got) != 1 || got[0].Account() != (billing.Account{Processor: "paypal", Mode: billing.Test}) {
		t.Errorf("the processors are %+v", got)
	}
	c = load(t)
	if none := c.Processors(); none != nil {
		t.Errorf("without a key there are %v", none)
	}
	for change, want := range map[string]string{
		"STRIPE_SECRET_KEY=sk_test_value":                                                     "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together",
		"STRIPE_WEBHOOK_SECRET=whsec_value":                                                   "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together",
		"STRIPE_SECRET_KEY=value STRIPE_WEBHOOK_SECRET=w":                                     "STRIPE_MODE is missing and cannot be derived from the key",
		"POLAR_SECRET_KEY=polar_value POLAR_WEBHOOK_SECRET=w":                                 "POLAR_MODE is missing and cannot be derived from the key",
		"STRIPE_SECRET_KEY=sk_live_value STRIPE_WEBHOOK_SECRET=w STRIPE_MODE=test":            "STRIPE_MODE does not match the mode of STRIPE_SECRET_KEY",
		"PADDLE_SECRET_KEY=pdl_live_value PADDLE_WEBHOOK_SECRET=w":                            "PADDLE_CLIENT_TOKEN is not a client-side token",
		"PADDLE_SECRET_KEY=pdl_live_value PADDLE_WEBHOOK_SECRET=w PADDLE_CLIENT_TOKEN=test_1": "PADDLE_CLIENT_TOKEN is not a client-side token",
		"STRIPE_SECRET_KEY=sk_live_value STRIPE_WEBHOOK_SECRET=w STRIPE_MODE=dry":             "STRIPE_MODE is invalid",
		"STRIPE_SECRET_KEY=sk_live_value STRIPE_WEBHOOK_SECRET=w STRIPE_BASE_URL=http://x":    "STRIPE_BASE_URL is only supported by `gatehouse dev`",
		"MOLLIE_SECRET_KEY=live_value MOLLIE_WEBHOOK_SECRET=w_value":                          "MOLLIE_WEBHOOK_SECRET is not used",
		"PAYPAL_SECRET_KEY=id_value PAYPAL_WEBHOOK_SECRET=w PAYPAL_MODE=live":                 "PAYPAL_SECRET_KEY is malformed",
		"PAYPAL_SECRET_KEY=a:b_value PAYPAL_WEBHOOK_SECRET=w":                                 "PAYPAL_MODE is missing",
		"MOLLIE_SECRET_KEY=test_value MOLLIE_MODE=live":                                       "MOLLIE_MODE does not match the mode of MOLLIE_SECRET_KEY",
	} {
		_, err := config.Load(good(strings.Fields(change)...), false)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "_value") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", change, err)
		}
	}
}
