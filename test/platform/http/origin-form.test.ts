import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

t.test('a request target in absolute form is equivalent to its path', async (t) => {
  const api = await buildTestApp(t);
  const { application } = await createTenant(api.database, { employees: makeEmployees(3) });
  const token = await api.token(application);
  const port = await listen(api.app);
  const ask = async (target: string) => {
    const bytes = `GET ${target} HTTP/1.1\r\nHost: people.example\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const [response] = await exchange(port, bytes, { expect: 1 });
    const { statusCode, headers, body } = response ?? {};
    return { status: statusCode, location: headers?.location, body: body ? JSON.parse(body) : null };
  };
  const path = '/v1/employees?page%5Bsize%5D=2';
  const plain = await ask(path);
  t.equal(plain.status, 200);
  for (const address of ['http://people.example', 'HTTPS://another.example:8443', 'http://']) {
    t.same(await ask(`${address}${path}`), plain, address);
  }
  const lost = await ask('http://people.example/v1/employees/nobody');
  t.match(lost, { status: 404, body: { instance: '/v1/employees/nobody', code: 'not_found' } });
  t.match(
    await ask('http://people.example?a=1'),
    await ask('/?a=1'),
    'a request without a path is for the root',
  );
});
