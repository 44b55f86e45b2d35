import {
  type AuditAnchor,
  type AuditFilter,
  auditPageQuery,
  tokenEventTypes,
} from '../../../src/features/audit-log/audit-log-reader.js';
import type { Database } from '../../../src/platform/database/client.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { query } from '../../support/database/query.js';
import { planOf } from '../../support/database/query-plan.js';
import { createTenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const pageSize = 50;
const deepPage = 1_000;
/** Events before the deep page: so many that the planner does not read and sort all of them. */
const earlier = 20_000;
const count = pageSize * deepPage + earlier;
const start = Date.parse('2026-01-01T00:00:00Z');

const database = await openTestDatabase(t);
const { accountId } = await createTenant(database);

/** Ten events of a rare user and application, then pairs of an event of a token and another event each second. */
await asOwner(
  database,
  `INSERT INTO audit_events (id, type, account_id, user_id, application_id, address, created_at)
  SELECT 'e' || lpad(i::text, 8, '0'),
    CASE WHEN i % 2 = 0 AND i >= 10 THEN 'token.issued' WHEN i < 10 THEN 'user.created' ELSE 'report.exported' END, $1,
    CASE WHEN i < 5 THEN NULL WHEN i < 10 THEN 'rareuser' ELSE 'user' END,
    CASE WHEN i < 10 THEN 'rareapplication' ELSE 'application' END,
    CASE WHEN i < 5 THEN NULL ELSE '192.0.2.1' END,
    $2::timestamptz + i / 2 * interval '1 second'
  FROM generate_series(0, $3::int) i`,
  accountId,
  new Date(start).toISOString(),
  2 * count,
);
await asOwner(database, 'ANALYZE audit_events');

const planOfPage = (filter: AuditFilter, after?: AuditAnchor) =>
  planOf(database, auditPageQuery(accountId, filter, { size: pageSize, after }));

/** The event before the deep page of these events. */
async function anchorOf({ prisma }: Database, filter: AuditFilter): Promise<AuditAnchor> {
  const types = filter.tokenEvents
    ? ''
    : `AND type NOT IN (${tokenEventTypes.map((type) => `'${type}'`).join(', ')})`;
  const [row] = await query<AuditAnchor>(
    { prisma },
    `SELECT created_at AS "createdAt", id FROM audit_events WHERE account_id = $1 ${types}
    ORDER BY created_at DESC, id OFFSET $2 LIMIT 1`,
    [accountId, pageSize * (deepPage - 1)],
  );
  if (row === undefined) throw new Error('There are too few events');
  return row;
}

const frequent: Record<string, AuditFilter> = {
  'without filters': {},
  'with token events': { tokenEvents: true },
  'of a type': { type: 'report.exported' },
  'of a user': { actor: { userId: 'user' } },
  'of an application': { applicationId: 'application' },
  'of a user and an application': { actor: { userId: 'user' }, applicationId: 'application' },
  'of a user with token events': { actor: { userId: 'user' }, tokenEvents: true },
  'of an application with token events': { applicationId: 'application', tokenEvents: true },
  'of a user, an application, a type and days': {
    actor: { userId: 'user' },
    applicationId: 'application',
    type: 'report.exported',
    from: new Date(start),
    before: new Date(start + 2 * count * 1000),
  },
};

for (const [name, filter] of Object.entries(frequent)) {
  t.test(`page ${deepPage} ${name} reads as many blocks as page 1`, async (t) => {
    const first = await planOfPage(filter);
    const deep = await planOfPage(filter, await anchorOf(database, filter));
    for (const { text } of [first, deep]) {
      t.notMatch(text, /Seq Scan|^\s*(->)?\s*Sort {2}\(/m);
    }
    t.ok(first.blocks > 0 && first.blocks < 250, `page 1 reads ${first.blocks} blocks`);
    t.ok(
      deep.blocks <= first.blocks * 2 + 10,
      `page ${deepPage} reads ${deep.blocks}, page 1 ${first.blocks} blocks`,
    );
  });
}

const rare: Record<string, AuditFilter> = {
  'a rare type': { type: 'user.created' },
  'a type that never occurs': { type: 'signing_key.rotated' },
  'a rare user': { actor: { userId: 'rareuser' } },
  'the command line': { actor: 'operator' },
  'a rare application': { applicationId: 'rareapplication' },
  'an application that never occurs': { applicationId: 'unknown' },
  'a rare user of a frequent application': { actor: { userId: 'rareuser' }, applicationId: 'application' },
  'days without events': { from: new Date(start - 172_800_000), before: new Date(start - 86_400_000) },
};

for (const [name, filter] of Object.entries(rare)) {
  t.test(`finds the events of ${name} without reading the others`, async (t) => {
    const { text, blocks } = await planOfPage(filter);
    t.ok(blocks < 100, `${blocks} blocks: ${text}`);
  });
}

t.test('the indexes omit the same types of events as the filter', async (t) => {
  const rows = await asOwner<{ indexdef: string }>(
    database,
    `SELECT indexdef FROM pg_indexes WHERE tablename = 'audit_events' AND indexname LIKE '%without_tokens%'`,
  );
  t.equal(rows.length, 3);
  for (const { indexdef } of rows) {
    const types = [...indexdef.matchAll(/'([a-z_.]+)'/g)].map(([, type]) => type);
    t.same(types, [...tokenEventTypes], indexdef);
  }
});
