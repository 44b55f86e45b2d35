-- How often each caller called in the current minute. It is written with nearly every request and worth nothing after a
-- crash, so that it is kept out of the write-ahead log, and its pages leave room for updates in place.
CREATE UNLOGGED TABLE request_counts (
  key text COLLATE "C" NOT NULL,
  points integer NOT NULL,
  expire timestamptz(3),
  CONSTRAINT request_counts_pkey PRIMARY KEY (key)
) WITH (fillfactor = 50);

CREATE INDEX request_counts_expire_idx ON request_counts (expire);
