-- What grouped reports compute for each group, besides the number of employees: objects with `function` and `field`.
ALTER TABLE reports ADD COLUMN measures jsonb NOT NULL DEFAULT '[]';

CREATE OR REPLACE FUNCTION reports_created_events() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_events(account_id, 'report.created', ids, NULL, contents)
  FROM (
    SELECT account_id, array_agg(id) AS ids, array_agg(content) AS contents
    FROM (
      SELECT account_id, id, (SELECT row_to_json(attributes) FROM (
        SELECT changed.title, changed.description, changed.columns, changed.filters, changed.sort, changed.group_by,
          changed.measures, changed.created_at, changed.updated_at
      ) attributes) AS content
      FROM changed
    ) created
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION reports_updated_events() RETURNS trigger
LANGUAGE plpgsql SET enable_nestloop = off SET jit = off AS $$
BEGIN
  PERFORM add_events(account_id, 'report.updated', ids, changes, contents)
  FROM (
    SELECT account_id, array_agg(id) AS ids, array_agg(changes) AS changes,
      array_agg(content) AS contents
    FROM (
      SELECT a.account_id, a.id,
        concat_ws(',',
          CASE WHEN a.title IS DISTINCT FROM b.title THEN 'title' END,
          CASE WHEN a.description IS DISTINCT FROM b.description THEN 'description' END,
          CASE WHEN a.columns IS DISTINCT FROM b.columns THEN 'columns' END,
          CASE WHEN a.filters IS DISTINCT FROM b.filters THEN 'filters' END,
          CASE WHEN a.sort IS DISTINCT FROM b.sort THEN 'sort' END,
          CASE WHEN a.group_by IS DISTINCT FROM b.group_by THEN 'group_by' END,
          CASE WHEN a.measures IS DISTINCT FROM b.measures THEN 'measures' END
        ) AS changes,
        (SELECT row_to_json(attributes) FROM (
          SELECT a.title, a.description, a.columns, a.filters, a.sort, a.group_by, a.measures, a.created_at, a.updated_at
        ) attributes) AS content
      FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.id = a.id
    ) updated
    WHERE changes <> ''
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;
