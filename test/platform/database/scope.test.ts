import { setImmediate as turn } from 'node:timers/promises';
import {
  accountScope,
  allAccounts,
  currentScope,
  noAccount,
  withScope,
} from '../../../src/platform/database/scope.js';
import t from '../../support/tap.js';

t.test('a scope of accounts contains each id once', (t) => {
  t.equal(accountScope('acme', 'acme'), 'acme');
  t.equal(accountScope('acme', 'a-1_b', 'acme'), 'acme,a-1_b');
  t.end();
});

t.test('a scope of accounts is made of ids only, so that none widens it', (t) => {
  for (const id of ['', allAccounts, 'acme,other', 'acme ', ' acme', '-a', 'acme\n', "a'b", '%']) {
    const error = new RangeError('This is not the id of an account');
    t.throws(() => accountScope(id), error, JSON.stringify(id));
    t.throws(() => accountScope('acme', id), error, `acme and ${JSON.stringify(id)}`);
  }
  t.end();
});

t.test('work that continues after its scope has ended has the default scope', async (t) => {
  const seen = async () => {
    await turn();
    return currentScope(noAccount);
  };
  for (const fails of [false, true]) {
    let late: Promise<string> | undefined;
    const scoped = withScope(allAccounts, async () => {
      t.equal(currentScope(noAccount), allAccounts);
      // A scope within another ends first, and leaves that of the other.
      t.equal(await withScope(accountScope('acme'), seen), 'acme');
      t.equal(await seen(), allAccounts);
      late = seen();
      if (fails) throw new Error('failed');
    });
    await (fails ? t.rejects(scoped, /failed/) : scoped);
    t.equal(await late, noAccount);
    t.equal(currentScope(noAccount), noAccount);
  }
});
