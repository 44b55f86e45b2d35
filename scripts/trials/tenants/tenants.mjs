import { Client, jsonOf } from '../client/client.mjs';
import { get, postForm, refresh, revoke } from '../client/requests.mjs';
import { hashUntouched } from '../fuzz/untouched.mjs';
import { createRandom } from '../random.mjs';
import { startServer } from '../world/server.mjs';
import { withWorld } from '../world/world.mjs';
import { attempts, foreignInputs } from './attempts.mjs';
import { inhabit, mark } from './inhabit.mjs';
import { leakFinder } from './leaks.mjs';
import { lookalike, normalised } from './normalise.mjs';
import { compareTimes } from './timing.mjs';
import { createVisitor } from './visitor.mjs';

/** Attempts whose time is compared; the others would only repeat what these do. */
const timed = [
  'GET an employee',
  'GET a report',
  'GET a result',
  'PATCH a report',
  'DELETE a report',
  'trade a code',
  'spend a refresh token',
  'client credentials for a client id',
  'the page of an application',
];

/** One account asks for everything that another has. */
export function trial({ short, seed, verdict }) {
  const random = createRandom(seed);
  return withWorld({ name: 'tenants', accounts: 2, employees: 60 }, async ({ url, accounts }) => {
    // Codes have to outlive the comparison of times.
    const server = await startServer(url, { AUTHORIZATION_CODE_TTL: '600' });
    const client = new Client(server.port);
    const send = (request) => client.send(request);
    try {
      await mark(url, accounts[1]);
      const mine = await inhabit({ url, account: accounts[0], send, word: 'Own' });
      const theirs = await inhabit({ url, account: accounts[1], send, word: 'Xenolith' });
      mine.formOfTheirs = theirs.codeForm;
      const visit = await createVisitor({ send, browser: mine.browser });
      const scene = { mine, theirs, visit, send, random, verdict, leaks: leakFinder(theirs) };
      const whose = { userId: accounts[0].owner.id, accountId: accounts[0].accountId, seeds: '-' };
      const before = await hashUntouched(url, whose);
      await compareAnswers(scene);
      await giveForeign(scene);
      await tryToRevoke(scene);
      for (const name of timed) await compareTime({ ...scene, samples: short ? 40 : 3000 }, name);
      const after = await hashUntouched(url, whose);
      const changed = Object.keys(before).filter((table) => before[table] !== after[table]);
      verdict.bar(
        `nothing of the other account changed${changed.length > 0 ? `: ${changed}` : ''}`,
        changed.length === 0,
      );
      await checkStillGood(scene);
    } finally {
      client.close();
      await server.stop();
    }
  });
}

/** Foreign and unknown ids must be answered with the same bytes. */
async function compareAnswers({ mine, theirs, visit, random, verdict, leaks }) {
  let compared = 0;
  const statuses = {};
  for (const { what, ids, ask } of attempts(mine)) {
    for (const id of ids(theirs)) {
      const unknown = lookalike(id, random);
      const seen = await visit(ask(id));
      const right = await visit(ask(unknown));
      compared += 1;
      statuses[seen.status] = (statuses[seen.status] ?? 0) + 1;
      const [a, b] = [normalised(seen, id), normalised(right, unknown)];
      if (a !== b)
        verdict.fault(`${what}: a foreign id is answered unlike an unknown one`, firstDifference(a, b));
      for (const leak of leaks(seen, JSON.stringify(ask(id))))
        verdict.fault(`${what}: a foreign value`, leak);
    }
  }
  verdict.say(`${compared} foreign ids compared with unknown ones; ${JSON.stringify(statuses)}`);
}

async function giveForeign({ mine, theirs, visit, verdict, leaks }) {
  for (const request of foreignInputs(mine, theirs)) {
    const answer = await visit(request);
    const label = JSON.stringify(request).slice(0, 300);
    if (answer.status >= 500) verdict.fault(`answered with ${answer.status}`, label);
    for (const leak of leaks(answer, label))
      verdict.fault('a foreign value in an answer', `${leak}: ${label}`);
  }
}

/** Whoever holds a token of another application may know that it exists, and still may not end it. */
async function tryToRevoke({ mine, theirs, send, verdict, leaks }) {
  const { access_token: accessToken, refresh_token: refreshToken } = theirs.revocable;
  for (const token of [accessToken, refreshToken]) {
    for (const application of [mine.account.application, mine.account.publicApplication]) {
      const answer = await send(revoke(application, token));
      for (const leak of leaks(answer, token)) verdict.fault('a foreign value in an answer', leak);
    }
  }
  const { status } = await send(get('/v1/users/me', accessToken));
  verdict.bar('a foreign token outlives attempts to revoke it', status === 200);
}

async function compareTime(scene, name) {
  const { mine, theirs, visit, random } = scene;
  const { ids, ask } = attempts(mine).find(({ what }) => what === name);
  const foreign = ids(theirs);
  const unknown = foreign.map((id) => lookalike(id, random));
  await compareTimes({
    ...scene,
    what: name,
    send: visit,
    foreign: () => ask(random.pick(foreign)),
    unknown: () => ask(random.pick(unknown)),
  });
}

/** What one account tried with the other's code and refresh token did not use them up. */
async function checkStillGood({ theirs, send, verdict }) {
  const traded = await send(postForm('/v1/oauth/token', theirs.codeForm));
  verdict.bar('the foreign code still works for its owner', traded.status === 200);
  const rotated = await send(refresh(theirs.account.application, theirs.refreshToken));
  verdict.bar('the foreign refresh token still works for its owner', rotated.status === 200);
  const { meta } = jsonOf(await send(get('/v1/reports', theirs.token)));
  verdict.bar('the other account has as many reports as before', meta.record_count === theirs.reports.length);
}

function firstDifference(a, b) {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `${a.slice(from, at + 200)}\n       unknown: ${b.slice(from, at + 200)}`;
}
