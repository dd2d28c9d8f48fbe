-- Lists of sales, narrowed: each reads a range of an index in the order of the pages, whatever
-- they are narrowed by and however many rows there are.
CREATE INDEX subscriptions_org_status ON subscriptions (org_id, status, id);
CREATE INDEX subscriptions_current ON subscriptions (org_id, id) WHERE status NOT IN ('ended', 'incomplete');
CREATE INDEX invoices_org_status ON invoices (org_id, status, id);
CREATE INDEX payments_org_status ON payments (org_id, status, id);
CREATE INDEX payments_customer_id ON payments (customer_id, id);
CREATE INDEX payments_disputed ON payments (org_id, id) WHERE dispute <> '';
CREATE INDEX refunds_org_status ON refunds (org_id, status, id);
CREATE INDEX processor_events_org_status ON processor_events (org_id, status, id);
CREATE INDEX processor_events_status ON processor_events (status, id);
CREATE INDEX processor_events_org_kind ON processor_events (org_id, kind, id);
CREATE INDEX processor_events_kind ON processor_events (kind, id);
