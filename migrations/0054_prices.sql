-- What products cost. unit_amount counts minor units; tiers is JSON that SQL does not look
-- into.
CREATE TABLE prices (
    id                 {key}   PRIMARY KEY,
    org_id             {key}   NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    product_id         {key}   NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    currency           TEXT    NOT NULL,
    unit_amount        BIGINT  NOT NULL,
    charged            TEXT    NOT NULL,
    model              TEXT    NOT NULL,
    tiers              TEXT    NOT NULL,
    meter              TEXT    NOT NULL,
    trial_days         BIGINT  NOT NULL,
    nickname           TEXT    NOT NULL,
    active             BOOLEAN NOT NULL,
    processor_price_id TEXT    NOT NULL,
    created_at         {time}  NOT NULL,
    updated_at         {time}  NOT NULL,
    version            BIGINT  NOT NULL
);

CREATE INDEX prices_org_id ON prices (org_id, id);
CREATE INDEX prices_product_id ON prices (product_id, id);

-- Discounts by code, in capital letters; discount and products are JSON. A coupon that was
-- deleted has ended_at, and its code is not given away.
CREATE TABLE coupons (
    id              {key}  PRIMARY KEY,
    org_id          {key}  NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    code            {key}  NOT NULL,
    discount        TEXT   NOT NULL,
    products        TEXT   NOT NULL,
    max_redemptions BIGINT NOT NULL,
    redemptions     BIGINT NOT NULL,
    expires_at      {time},
    ended_at        {time},
    created_at      {time} NOT NULL,
    version         BIGINT NOT NULL
);

CREATE UNIQUE INDEX coupons_code ON coupons (org_id, code);
CREATE INDEX coupons_org_id ON coupons (org_id, id);
