-- What processors call our prices and coupons.
CREATE TABLE processor_mirrors (
    processor {key}  NOT NULL,
    mode      {key}  NOT NULL,
    own_id    {key}  NOT NULL,
    remote_id {key}  NOT NULL,
    PRIMARY KEY (processor, mode, own_id)
);

CREATE INDEX processor_mirrors_remote_id ON processor_mirrors (processor, mode, remote_id);

-- address (JSON) and tax_id are sealed; email_index is the blind index of email.
ALTER TABLE customers ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE customers ADD COLUMN tax_id TEXT NOT NULL DEFAULT '';
ALTER TABLE customers ADD COLUMN email_index {key} NOT NULL DEFAULT '';

CREATE INDEX customers_org_id ON customers (org_id, id);
CREATE INDEX customers_email_index ON customers (org_id, email_index, id);
CREATE INDEX subscriptions_status ON subscriptions (org_id, status, customer_id);

-- plan is JSON: what a subscription is to become.
ALTER TABLE payment_intents ADD COLUMN plan TEXT NOT NULL DEFAULT '';
