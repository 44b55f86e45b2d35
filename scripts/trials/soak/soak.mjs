import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../random.mjs';
import { ask, withWorld } from '../world/world.mjs';
import { Granter } from './actors/granter.mjs';
import { ProfileWriter } from './actors/profile-writer.mjs';
import { Reader } from './actors/reader.mjs';
import { Reporter } from './actors/reporter.mjs';
import { TokenUser } from './actors/token-user.mjs';
import { checkEnd } from './end.mjs';
import { Faults } from './faults.mjs';
import { Fleet } from './fleet.mjs';
import { Memory } from './memory.mjs';
import { makeNuisance } from './nuisances.mjs';

const accountCount = 6;

/** Part of what the servers could do that they are asked for. */
const load = 0.8;

/** Mixed load on two processes for a long time, with faults, checked against a model. */
export function trial({ short, minutes, seed, verdict }) {
  const random = createRandom(seed);
  return withWorld({ name: 'soak', accounts: accountCount, employees: 120 }, async ({ url, accounts }) => {
    const fleet = await Fleet.start({ databaseUrl: url, size: 2, verdict, random });
    try {
      const people = await readPeople(url);
      const cast = makeCast({ fleet, verdict, random, accounts, people });
      await run({ cast, fleet, verdict, random, url, short, milliseconds: minutes * 60_000 });
      await checkEnd({ cast, fleet, verdict, url });
    } finally {
      await fleet.stop();
    }
  });
}

async function run({ cast, fleet, verdict, random, url, short, milliseconds }) {
  const playing = cast.begin();
  await wait(short ? 1_500 : 10_000);
  const rate = await measureRate(fleet, short ? 1_000 : 10_000);
  fleet.pace(rate * load);
  const memory = new Memory(fleet.servers[0].pid);
  memory.begin();
  const faults = await Faults.open({ fleet, random, databaseUrl: url });
  const endsAt = Date.now() + milliseconds;
  const before = fleet.answered;
  const nuisance = makeNuisance({ fleet, random, stopped: () => Date.now() >= endsAt });
  // Stretches with faults take turns with quiet ones, in which nothing excuses a failure.
  while (Date.now() < endsAt) {
    const stormEndsAt = Math.min(Date.now() + 40_000, endsAt);
    await faults.run(() => Date.now() >= stormEndsAt);
    await wait(Math.max(0, Math.min(20_000, endsAt - Date.now())));
  }
  const answered = fleet.answered - before;
  cast.stop();
  await playing;
  memory.end();
  await faults.close();

  verdict.say(`capacity ${Math.round(rate)}/s without faults; asked for ${Math.round(rate * load)}/s`);
  verdict.say(
    `${answered} answers with faults (${Math.round((answered / milliseconds) * 1000)}/s), ${fleet.uncertain} requests without one or with 503`,
  );
  verdict.say(
    `faults: ${Object.entries(faults.counts)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ')}; nuisances ${await nuisance}`,
  );
  const { warm, end } = memory.growth;
  // A short run ends before the heap has found its size.
  const bound = warm * 1.25 + (short ? 128 : 48);
  verdict.bar(
    `memory ${warm.toFixed(0)} MiB when warm, ${end.toFixed(0)} MiB in the end; at most ${bound.toFixed(0)}`,
    end <= bound,
  );
}

async function measureRate(fleet, milliseconds) {
  const before = fleet.answered;
  await wait(milliseconds);
  return ((fleet.answered - before) * 1000) / milliseconds;
}

/** Everybody who calls; reports and profiles are written by one each in an account. */
function makeCast({ fleet, verdict, random, accounts, people }) {
  let stopping = false;
  const revoked = [];
  const actors = accounts.flatMap((account) =>
    [Reader, Reader, Reporter, ProfileWriter, TokenUser, Granter].map(
      (Kind) =>
        new Kind({
          fleet,
          verdict,
          random,
          account,
          revoked,
          people: people.get(account.accountId),
          stopped: () => stopping,
        }),
    ),
  );
  return {
    actors,
    revoked,
    begin: () => Promise.all(actors.map((actor) => actor.run())),
    stop: () => {
      stopping = true;
    },
  };
}

/** Every employee as the API must show it, by account. */
async function readPeople(url) {
  const rows = await ask(url, 'SELECT * FROM employees ORDER BY account_id, position');
  const people = new Map();
  for (const row of rows) {
    const { id, account_id, employee_number, first_name, last_name, email, status, department } = row;
    const updated_at = row.updated_at.toISOString();
    const attributes = { employee_number, first_name, last_name, email, status, department, updated_at };
    people.set(account_id, [...(people.get(account_id) ?? []), { id, type: 'employees', attributes }]);
  }
  return people;
}
