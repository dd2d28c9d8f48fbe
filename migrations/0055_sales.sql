-- Buyers, as one workspace that sells knows them at one processor in one mode. name and
-- email are sealed; processor_id is what the processor calls them.
CREATE TABLE customers (
    id           {key}  PRIMARY KEY,
    org_id       {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    processor    TEXT   NOT NULL,
    mode         TEXT   NOT NULL,
    buyer        {key}  NOT NULL,
    user_id      {key}  REFERENCES users (id) ON DELETE SET NULL,
    buyer_org_id {key}  REFERENCES workspaces (id) ON DELETE SET NULL,
    processor_id TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    email        TEXT   NOT NULL,
    created_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX customers_buyer ON customers (org_id, processor, mode, buyer);
CREATE INDEX customers_user_id ON customers (user_id);
CREATE INDEX customers_buyer_org_id ON customers (buyer_org_id);

-- Sales. What hangs on one names it by checkout_id. processor_id is the object at the
-- processor, fact_at the time of the state that was taken last; discount is JSON.
CREATE TABLE checkouts (
    id           {key}  PRIMARY KEY,
    org_id       {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id   {key}  NOT NULL REFERENCES products (id),
    price_id     {key}  NOT NULL REFERENCES prices (id),
    customer_id  {key}  NOT NULL REFERENCES customers (id),
    user_id      {key}  REFERENCES users (id) ON DELETE SET NULL,
    buyer_org_id {key}  REFERENCES workspaces (id) ON DELETE SET NULL,
    processor    TEXT   NOT NULL,
    mode         TEXT   NOT NULL,
    processor_id TEXT   NOT NULL,
    fact_at      {time},
    quantity     BIGINT NOT NULL,
    currency     TEXT   NOT NULL,
    subtotal     BIGINT NOT NULL,
    coupon       TEXT   NOT NULL,
    discount     TEXT   NOT NULL,
    trial_days   BIGINT NOT NULL,
    success_url  TEXT   NOT NULL,
    cancel_url   TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    url          TEXT   NOT NULL,
    expires_at   {time},
    license_id   {key}  NOT NULL,
    completed_at {time},
    created_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE INDEX checkouts_customer_id ON checkouts (customer_id, status, id);
CREATE INDEX checkouts_product_id ON checkouts (product_id);
CREATE INDEX checkouts_price_id ON checkouts (price_id);
CREATE INDEX checkouts_org_id ON checkouts (org_id);
CREATE INDEX checkouts_user_id ON checkouts (user_id);
CREATE INDEX checkouts_buyer_org_id ON checkouts (buyer_org_id);

-- What is paid again and again: one for each checkout at most.
CREATE TABLE subscriptions (
    id           {key}  PRIMARY KEY,
    checkout_id  {key}  NOT NULL REFERENCES checkouts (id) ON DELETE CASCADE,
    org_id       {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id   {key}  NOT NULL,
    customer_id  {key}  NOT NULL,
    user_id      {key}  REFERENCES users (id) ON DELETE SET NULL,
    buyer_org_id {key}  REFERENCES workspaces (id) ON DELETE SET NULL,
    processor    TEXT   NOT NULL,
    mode         TEXT   NOT NULL,
    processor_id TEXT   NOT NULL,
    fact_at      {time},
    price_id     {key}  NOT NULL,
    quantity     BIGINT NOT NULL,
    status       TEXT   NOT NULL,
    period_start {time},
    period_end   {time},
    trial_end    {time},
    canceled_at  {time},
    ended_at     {time},
    reason       TEXT   NOT NULL,
    discount     TEXT   NOT NULL,
    created_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX subscriptions_checkout_id ON subscriptions (checkout_id);
CREATE INDEX subscriptions_org_id ON subscriptions (org_id, id);
CREATE INDEX subscriptions_product_id ON subscriptions (product_id, id);
CREATE INDEX subscriptions_user_id ON subscriptions (user_id, id);
CREATE INDEX subscriptions_buyer_org_id ON subscriptions (buyer_org_id, id);
CREATE INDEX subscriptions_customer_id ON subscriptions (customer_id, product_id);

-- What is to be paid; lines is JSON.
CREATE TABLE invoices (
    id           {key}  PRIMARY KEY,
    checkout_id  {key}  NOT NULL REFERENCES checkouts (id) ON DELETE CASCADE,
    org_id       {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id   {key}  NOT NULL,
    customer_id  {key}  NOT NULL,
    user_id      {key}  REFERENCES users (id) ON DELETE SET NULL,
    buyer_org_id {key}  REFERENCES workspaces (id) ON DELETE SET NULL,
    processor    TEXT   NOT NULL,
    mode         TEXT   NOT NULL,
    processor_id {key}  NOT NULL,
    fact_at      {time},
    number       TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    subtotal     BIGINT NOT NULL,
    discount     BIGINT NOT NULL,
    tax          BIGINT NOT NULL,
    total        BIGINT NOT NULL,
    lines        TEXT   NOT NULL,
    period_start {time},
    period_end   {time},
    issued_at    {time},
    paid_at      {time},
    created_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX invoices_processor_id ON invoices (processor, mode, processor_id);
CREATE INDEX invoices_checkout_id ON invoices (checkout_id, id);
CREATE INDEX invoices_org_id ON invoices (org_id, id);
CREATE INDEX invoices_user_id ON invoices (user_id, id);
CREATE INDEX invoices_buyer_org_id ON invoices (buyer_org_id, id);

-- The last number of the invoices that a workspace wrote in a year.
CREATE TABLE invoice_numbers (
    org_id {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    year   BIGINT NOT NULL,
    last   BIGINT NOT NULL,
    PRIMARY KEY (org_id, year)
);

CREATE TABLE payments (
    id           {key}  PRIMARY KEY,
    checkout_id  {key}  NOT NULL REFERENCES checkouts (id) ON DELETE CASCADE,
    org_id       {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id   {key}  NOT NULL,
    customer_id  {key}  NOT NULL,
    user_id      {key}  REFERENCES users (id) ON DELETE SET NULL,
    buyer_org_id {key}  REFERENCES workspaces (id) ON DELETE SET NULL,
    processor    TEXT   NOT NULL,
    mode         TEXT   NOT NULL,
    processor_id {key}  NOT NULL,
    fact_at      {time},
    invoice      {key}  NOT NULL,
    status       TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    amount       BIGINT NOT NULL,
    dispute      TEXT   NOT NULL,
    failure      TEXT   NOT NULL,
    created_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX payments_processor_id ON payments (processor, mode, processor_id);
CREATE INDEX payments_checkout_id ON payments (checkout_id, id);
CREATE INDEX payments_org_id ON payments (org_id, id);
CREATE INDEX payments_invoice ON payments (processor, mode, invoice);
CREATE INDEX payments_user_id ON payments (user_id);
CREATE INDEX payments_buyer_org_id ON payments (buyer_org_id);

-- Money that goes back. payment_id is ours, '' until it is known; payment is the
-- processor's. processor_id is NULL until the processor took it.
CREATE TABLE refunds (
    id           {key}  PRIMARY KEY,
    checkout_id  {key}  NOT NULL REFERENCES checkouts (id) ON DELETE CASCADE,
    org_id       {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id   {key}  NOT NULL,
    customer_id  {key}  NOT NULL,
    user_id      {key}  REFERENCES users (id) ON DELETE SET NULL,
    buyer_org_id {key}  REFERENCES workspaces (id) ON DELETE SET NULL,
    processor    TEXT   NOT NULL,
    mode         TEXT   NOT NULL,
    processor_id {key},
    fact_at      {time},
    payment      {key}  NOT NULL,
    currency     TEXT   NOT NULL,
    amount       BIGINT NOT NULL,
    status       TEXT   NOT NULL,
    reason       TEXT   NOT NULL,
    failure      TEXT   NOT NULL,
    created_at   {time} NOT NULL,
    version      BIGINT NOT NULL
);

CREATE UNIQUE INDEX refunds_processor_id ON refunds (processor, mode, processor_id);
CREATE INDEX refunds_checkout_id ON refunds (checkout_id, id);
CREATE INDEX refunds_org_id ON refunds (org_id, id);
CREATE INDEX refunds_payment ON refunds (processor, mode, payment);
CREATE INDEX refunds_user_id ON refunds (user_id);
CREATE INDEX refunds_buyer_org_id ON refunds (buyer_org_id);

-- What processors told, each event once; facts is sealed JSON. due_at is when it is to be
-- applied, NULL for not again.
CREATE TABLE processor_events (
    id          {key}  PRIMARY KEY,
    processor   TEXT   NOT NULL,
    mode        TEXT   NOT NULL,
    event_id    {key}  NOT NULL,
    kind        TEXT   NOT NULL,
    org_id      {key}  NOT NULL,
    facts       TEXT   NOT NULL,
    status      TEXT   NOT NULL,
    reason      TEXT   NOT NULL,
    attempts    BIGINT NOT NULL,
    due_at      {time},
    received_at {time} NOT NULL,
    applied_at  {time},
    purge_at    {time} NOT NULL
);

CREATE UNIQUE INDEX processor_events_event_id ON processor_events (processor, mode, event_id);
CREATE INDEX processor_events_org_id ON processor_events (org_id, id);
CREATE INDEX processor_events_account ON processor_events (processor, mode, id);
CREATE INDEX processor_events_due_at ON processor_events (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX processor_events_purge_at ON processor_events (purge_at);

-- Calls that are to be made at processors; the row goes with what came of the call.
CREATE TABLE payment_intents (
    id            {key}   PRIMARY KEY,
    kind          TEXT    NOT NULL,
    checkout_id   {key}   NOT NULL REFERENCES checkouts (id) ON DELETE CASCADE,
    subject       {key}   NOT NULL,
    processor     TEXT    NOT NULL,
    mode          TEXT    NOT NULL,
    at_period_end BOOLEAN NOT NULL,
    attempts      BIGINT  NOT NULL,
    due_at        {time}  NOT NULL,
    created_at    {time}  NOT NULL
);

CREATE INDEX payment_intents_due_at ON payment_intents (due_at);
CREATE INDEX payment_intents_checkout_id ON payment_intents (checkout_id);

-- What the sandbox of a development instance knows; content is sealed JSON.
CREATE TABLE sandbox_sales (
    id      {key}  PRIMARY KEY,
    content TEXT   NOT NULL,
    version BIGINT NOT NULL
);
