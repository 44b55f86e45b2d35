-- The issuer of tokens, which is the BASE_URL of the first start. Processes with different ones would reject each
-- other's tokens. There is one row.
CREATE TABLE issuer (
  id integer NOT NULL DEFAULT 1,
  url text COLLATE "C" NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  CONSTRAINT issuer_pkey PRIMARY KEY (id),
  CONSTRAINT issuer_id_check CHECK (id = 1)
);
