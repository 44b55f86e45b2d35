import type { AddressInfo } from 'node:net';
import { listen } from '../../src/process/listen.js';
import { describeFailure } from '../../src/process/operator-errors.js';
import { openTestDatabase } from '../support/database/database.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { app } = await buildTestApp(t, { database });

t.test('listens on one address of a host name with several', async (t) => {
  await listen(app, { host: 'localhost', port: 0 });
  t.equal(app.addresses().length, 1);
});

t.test('an unavailable address is reported in one line that names the settings', async (t) => {
  const second = await buildTestApp(t, { database });
  const { address, port } = app.server.address() as AddressInfo;
  const places = [
    { host: address, port },
    { host: 'nowhere.invalid', port: 0 },
    // An address that is reserved for documentation.
    { host: '192.0.2.1', port: 0 },
  ];
  for (const place of places) {
    const error = await listen(second.app, place).then(
      () => undefined,
      (error: unknown) => error,
    );
    t.match(describeFailure(error), /^HOST, PORT: [^\n]+$/, JSON.stringify(place));
  }
});
