-- What customers owe.
CREATE INDEX invoices_customer_id ON invoices (customer_id, status);
