import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

/** The address in the audit log for a failed attempt with a forwarded address. */
async function addressOf(t: Test, trusted: string): Promise<string | null | undefined> {
  const api = await buildTestApp(t, { environment: { TRUSTED_PROXIES: trusted, RATE_LIMIT_FAILURES: '0' } });
  await api.postForm(
    '/v1/oauth/token',
    { grant_type: 'client_credentials', client_id: 'unknown', client_secret: 'wrong' },
    {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    },
  );
  const event = await api.database.prisma.systemEvent.findFirst();
  const { issuer } = (await api.get('/.well-known/oauth-authorization-server')).json();
  t.equal(issuer, 'http://api.test', 'an untrusted proxy does not set the host');
  return event?.address;
}

t.test('uses a forwarded address from a trusted proxy only', async (t) => {
  t.equal(await addressOf(t, ''), '127.0.0.1');
  t.equal(await addressOf(t, '10.0.0.0/8, 2001:db8::1'), '127.0.0.1');
  t.equal(await addressOf(t, '127.0.0.0/8'), '203.0.113.7');
});
