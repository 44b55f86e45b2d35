import { UsageReader } from '../../../src/features/usage/usage-reader.js';
import { testServer } from '../../support/database/database.js';
import { openBehindProxy } from '../../support/faults/database-proxy.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database cannot become unavailable' };

t.test(
  'calls that are counted while the database is unavailable are stored when it is available again',
  onPostgresql,
  async (t) => {
    const { proxy, database } = await openBehindProxy(t, {
      poolSize: 2,
      statementTimeoutMs: 500,
      connectionTimeoutMs: 500,
    });
    const api = await buildTestApp(t, { database });
    const { accountId, application } = await createTenant(database);
    const token = await api.token(application);
    t.equal((await api.get('/v1/employees', token)).statusCode, 200);
    proxy.refuse();
    // The signature of the token is verified without the database, and its claims name the client.
    for (let count = 0; count < 3; count += 1) {
      t.equal((await api.get('/v1/employees', token)).statusCode, 503);
      await t.rejects(api.usage.flush());
    }
    proxy.restore();
    while (
      !(await api.usage.flush().then(
        () => true,
        () => false,
      ))
    );
    const range = { from: new Date(0), to: new Date('2100-01-01') };
    t.match(await new UsageReader(database).usageByOperationOf(accountId, application.id, range), [
      { operation: 'createToken', calls: 1, errors: 0 },
      { operation: 'listEmployees', calls: 4, errors: 3 },
    ]);
  },
);

t.test(
  'a server whose database is unavailable closes without storing its last counts',
  onPostgresql,
  async (t) => {
    const { proxy, database } = await openBehindProxy(t, { connectionTimeoutMs: 500 });
    const api = await buildTestApp(t, { database });
    await api.token((await createTenant(database)).application);
    proxy.refuse();
    await t.resolves(api.app.close());
  },
);
