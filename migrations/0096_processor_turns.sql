-- Whose turn it is to make something at a payment processor: the price of a product, or one call.
-- The row goes with the turn; those of replicas that died expire.
CREATE TABLE processor_turns (
    subject    {key}  PRIMARY KEY,
    holder     {key}  NOT NULL,
    expires_at {time} NOT NULL
);

CREATE INDEX processor_turns_expires_at ON processor_turns (expires_at);
