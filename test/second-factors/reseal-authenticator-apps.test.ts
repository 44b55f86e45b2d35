import { TOTP } from 'otpauth';
import {
  AuthenticatorApps,
  resealAuthenticatorApps,
} from '../../src/features/second-factors/authenticator-apps.js';
import { Sessions } from '../../src/platform/accounts/sessions.js';
import { Users } from '../../src/platform/accounts/users.js';
import { accountScope, allAccounts, withScope } from '../../src/platform/database/scope.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene } from '../support/oauth/users.js';
import { createTestClock } from '../support/server/clock.js';
import { createTestSecurityEmails } from '../support/server/test-security-emails.js';
import t from '../support/tap.js';

const [old, fresh] = ['o'.repeat(40), 'n'.repeat(40)];

t.test(
  'secrets of authenticator apps are encrypted again, so that the new APP_SECRET alone opens them',
  async (t) => {
    const database = await openTestDatabase(t);
    const clock = createTestClock();
    const { user, accountId } = await createScene(database);
    const securityEmails = createTestSecurityEmails(database, clock);
    const appsWith = (current: string, previous?: string) =>
      new AuthenticatorApps({ database, appSecrets: { current, previous }, clock, securityEmails });
    const from = { address: '127.0.0.1', userAgent: undefined };
    const sessionId = (await new Sessions(database, clock).create(user, from)) ?? '';
    const found = await new Users(database).findEnabled(accountId, user.id);
    if (found === null) throw new Error('The user does not exist');
    const context = {
      accountId,
      userId: user.id,
      origin: { address: '127.0.0.1', requestId: 'r' },
      at: clock(),
    };
    const apps = appsWith(old);
    const { secret, token } = await apps.setUp(found);
    const code = () => new TOTP({ secret }).generate({ timestamp: clock().getTime() });
    const inAccount = <Result>(work: () => Promise<Result>) => withScope(accountScope(accountId), work);
    const session = { sessionId, stage: 'complete' } as const;
    t.match(await inAccount(() => apps.add(context, { token, code: code(), session })), { kind: 'added' });

    const check = (service: AuthenticatorApps) => inAccount(() => service.check(context, code()));
    await t.rejects(check(appsWith(fresh)), 'the new secret alone does not open it yet');
    const changing = appsWith(fresh, old);
    t.ok(await check(changing));
    const reseal = (current: string, previous?: string) =>
      withScope(allAccounts, () => resealAuthenticatorApps(database, { current, previous }, clock()));
    await t.rejects(reseal('x'.repeat(40)), 'another secret');
    t.equal(await reseal(fresh, old), 1);
    t.equal(await reseal(fresh, old), 0, 'it may be repeated');
    t.ok(await check(appsWith(fresh)));
    await t.rejects(check(appsWith(old)));
  },
);
