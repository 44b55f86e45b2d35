import { createRandom, type Random } from '../../../../test/support/input/random.js';
import { jsonOf, type Send } from '../../kit/http/client.js';
import { get, postForm, refresh, revoke } from '../../kit/http/requests.js';
import { withServer } from '../accounts.js';
import { checkUnchanged, hashUnchanged } from '../unchanged.js';
import type { Trial, Verdict } from '../verdict.js';
import { attempts, otherActions } from './attempts.js';
import { comparable, unknownLike } from './comparable.js';
import { type FindLeaks, leakFinder } from './leaks.js';
import { addMark, type Seeded, seed as seedAccount } from './seed.js';
import { createPerform, type Perform } from './sender.js';
import { compareTimes } from './timing.js';

interface Scene {
  readonly mine: Seeded;
  readonly theirs: Seeded;
  readonly perform: Perform;
  readonly send: Send;
  readonly random: Random;
  readonly verdict: Verdict;
  readonly findLeaks: FindLeaks;
}

/** Attempts whose response times are compared; the others have the same code paths. */
const timed = [
  'GET an employee',
  'GET a report',
  'GET a result',
  'PATCH a report',
  'DELETE a report',
  'exchange a code',
  'consume a refresh token',
  'client credentials for a client id',
  'the page of an application',
];

/** One account tries to access all records of another. */
export const trial: Trial = ({ short, seed, verdict }) => {
  const random = createRandom(seed);
  const size = { name: 'tenants', accounts: 2, employees: 60 };
  // A code must be valid for as long as times are compared.
  const environment = { AUTHORIZATION_CODE_TTL: '600' };
  return withServer(size, { verdict, environment }, async ({ url, accounts: [own, foreign], send }) => {
    await addMark(url, foreign);
    const mine = await seedAccount({ url, account: own, send, word: 'Own' });
    const theirs = await seedAccount({ url, account: foreign, send, word: 'Xenolith' });
    const perform = await createPerform(send, mine.browser);
    const scene = { mine, theirs, perform, send, random, verdict, findLeaks: leakFinder(theirs) };
    const exempt = { userId: own.owner.id, accountId: own.accountId, seededPrefix: '-' };
    const before = await hashUnchanged(url, exempt);
    await compareResponses(scene);
    await performOthers(scene);
    await tryToRevoke(scene);
    for (const what of timed) await compareTime(scene, what, short ? 10 : 3000);
    await checkUnchanged({ url, exempt, before, verdict });
    await checkStillValid(scene);
  });
};

/** Checks that the responses for foreign and unknown ids have the same bytes. */
async function compareResponses({ mine, theirs, perform, random, verdict, findLeaks }: Scene): Promise<void> {
  let compared = 0;
  const statuses = new Map<number, number>();
  for (const { what, ids, action } of attempts(mine, theirs)) {
    for (const id of ids) {
      const unknown = unknownLike(id, random);
      const response = await perform(action(id));
      const expected = await perform(action(unknown));
      compared += 1;
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const [a, b] = [comparable(response, id), comparable(expected, unknown)];
      if (a !== b)
        verdict.violation(
          `${what}: the response for a foreign id differs from that for an unknown one`,
          firstDifference(a, b),
        );
      for (const leak of findLeaks(response, JSON.stringify(action(id))))
        verdict.violation(`${what}: a foreign value`, leak);
    }
  }
  const counts = [...statuses].map(([status, count]) => `${status}: ${count}`);
  verdict.note(`${compared} foreign ids compared with unknown ones; ${counts.join(', ')}`);
}

async function performOthers({ mine, theirs, perform, verdict, findLeaks }: Scene): Promise<void> {
  for (const action of otherActions(mine, theirs)) {
    const response = await perform(action);
    const label = JSON.stringify(action).slice(0, 300);
    if (response.status >= 500) verdict.violation(`status ${response.status}`, label);
    for (const leak of findLeaks(response, label))
      verdict.violation('a foreign value in a response', `${leak}: ${label}`);
  }
}

/** A client with a token of another application may learn that it exists, but cannot revoke it. */
async function tryToRevoke({ mine, theirs, send, verdict, findLeaks }: Scene): Promise<void> {
  const { access_token: accessToken, refresh_token: refreshToken } = theirs.revocable;
  for (const token of [accessToken, refreshToken]) {
    for (const application of [mine.account.application, mine.account.publicApplication]) {
      const response = await send(revoke(application, token));
      for (const leak of findLeaks(response, token)) verdict.violation('a foreign value in a response', leak);
    }
  }
  const { status } = await send(get('/v1/users/me', accessToken));
  verdict.check('a foreign token is valid after attempts to revoke it', status === 200);
}

async function compareTime({ mine, theirs, ...scene }: Scene, what: string, samples: number): Promise<void> {
  const attempt = attempts(mine, theirs).find((other) => other.what === what);
  if (attempt === undefined) throw new Error(`No attempt ${what}`);
  const { ids, action } = attempt;
  const { random } = scene;
  const unknown = ids.map((id) => unknownLike(id, random));
  const actions = {
    foreign: () => action(random.pick(ids)),
    unknown: () => action(random.pick(unknown)),
  };
  await compareTimes({ ...scene, what, actions, samples });
}

/** Checks that the attempts of one account did not consume the code and the refresh token of the other. */
async function checkStillValid({ theirs, send, verdict }: Scene): Promise<void> {
  const exchanged = await send(postForm('/v1/oauth/token', theirs.codeForm));
  verdict.check('the foreign code is still valid for its owner', exchanged.status === 200);
  const rotated = await send(refresh(theirs.account.application, theirs.refreshToken));
  verdict.check('the foreign refresh token is still valid for its owner', rotated.status === 200);
  const { meta } = jsonOf(await send(get('/v1/reports', theirs.token)));
  verdict.check(
    'the other account has as many reports as before',
    meta.record_count === theirs.reports.length,
  );
}

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `${a.slice(from, at + 200)}\n       unknown: ${b.slice(from, at + 200)}`;
}
