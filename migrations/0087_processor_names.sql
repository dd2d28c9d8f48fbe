-- All that processors ever called our prices and coupons: who began to buy by a price that was
-- named otherwise then has bought that one. What they are called now is in processor_mirrors,
-- where the release before keeps it.
CREATE TABLE processor_names (
    processor {key} NOT NULL,
    mode      {key} NOT NULL,
    own_id    {key} NOT NULL,
    remote_id {key} NOT NULL,
    PRIMARY KEY (processor, mode, own_id, remote_id)
);

INSERT INTO processor_names (processor, mode, own_id, remote_id) SELECT processor, mode, own_id, remote_id FROM processor_mirrors;

CREATE INDEX processor_names_remote_id ON processor_names (processor, mode, remote_id);
CREATE INDEX subscriptions_processor_id ON subscriptions (processor, mode, processor_id);
