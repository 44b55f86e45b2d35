import { setTimeout as wait } from 'node:timers/promises';
import { jsonOf } from '../client/client.mjs';
import { clientCredentials, get } from '../client/requests.mjs';
import { ask } from '../world/world.mjs';
import { ProfileWriter } from './actors/profile-writer.mjs';
import { Reporter } from './actors/reporter.mjs';

/** Whether everything that was acknowledged is there, and everything that was revoked is not, once all is quiet. */
export async function checkEnd({ cast, fleet, verdict, url }) {
  fleet.pace(0);
  for (const proxy of fleet.proxies) proxy.flow();
  await wait(2_000);
  let writes = 0;
  let unresolved = 0;
  for (const actor of cast.actors) {
    if (actor instanceof Reporter) {
      unresolved += actor.unresolved.size;
      for (const fault of actor.compare(await readReports(fleet, actor.account))) {
        verdict.fault('an acknowledged write is lost', fault);
      }
    }
    if (actor instanceof ProfileWriter) {
      const { id } = actor.account.owner;
      const [{ nickname }] = await ask(url, 'SELECT nickname FROM users WHERE id = $1', [id]);
      if (!actor.possible.includes(nickname)) verdict.fault('an acknowledged profile is lost', nickname);
    }
    writes += actor.acknowledged ?? 0;
  }
  verdict.say(`${writes} acknowledged writes looked for; ${unresolved} reports that nobody knows of`);
  let probes = 0;
  for (const token of cast.revoked.slice(-2_000)) {
    const { status } = await fleet.send(get('/v1/employees?page[size]=1', token), probes++ % fleet.size);
    if (status !== 401) verdict.fault('a revoked token works in the end', status);
  }
  verdict.say(
    `${cast.revoked.length} revoked tokens, ${probes} tried again; ${fleet.restarts} processes killed`,
  );
}

async function readReports(fleet, { application }) {
  const { access_token: token } = jsonOf(await fleet.send(clientCredentials(application)));
  const { data, links } = jsonOf(await fleet.send(get('/v1/reports?page[size]=500', token)));
  if (links.next !== null) throw new Error('More reports than a page holds');
  return data;
}
