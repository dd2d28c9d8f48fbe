-- The order in which events came to be seen. An event is queued by the transaction that
-- stores it, whichever release that runs in; who takes it out of the queue gives it the next
-- position. One does so at a time, by the row of feed_cursor.
CREATE TABLE event_queue (
    event_id {key} PRIMARY KEY,
    org_id   {key} NOT NULL,
    kind     {key} NOT NULL
);

CREATE TABLE event_feed (
    pos      BIGINT PRIMARY KEY,
    event_id {key}  NOT NULL,
    org_id   {key}  NOT NULL,
    kind     {key}  NOT NULL
);

INSERT INTO event_feed (pos, event_id, org_id, kind)
SELECT ROW_NUMBER() OVER (ORDER BY id), id, org_id, kind FROM events;

CREATE UNIQUE INDEX event_feed_event_id ON event_feed (event_id);
CREATE INDEX event_feed_org_id          ON event_feed (org_id, pos) WHERE org_id <> '';

CREATE TABLE feed_cursor (
    id   BIGINT PRIMARY KEY,
    last BIGINT NOT NULL
);

INSERT INTO feed_cursor (id, last) SELECT 1, COALESCE(MAX(pos), 0) FROM event_feed;

{queue events};
