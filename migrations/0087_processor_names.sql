-- What processors called our prices and coupons before, too: who began to buy by a price that
-- was named otherwise then has bought that one. turn counts the names of one of ours; the
-- highest is what it is called now.
CREATE TABLE processor_names (
    processor {key}  NOT NULL,
    mode      {key}  NOT NULL,
    own_id    {key}  NOT NULL,
    remote_id {key}  NOT NULL,
    turn      BIGINT NOT NULL,
    PRIMARY KEY (processor, mode, own_id, remote_id)
);

INSERT INTO processor_names (processor, mode, own_id, remote_id, turn) SELECT processor, mode, own_id, remote_id, 1 FROM processor_mirrors;
DROP TABLE processor_mirrors;

CREATE INDEX processor_names_remote_id ON processor_names (processor, mode, remote_id);
CREATE INDEX subscriptions_processor_id ON subscriptions (processor, mode, processor_id);
