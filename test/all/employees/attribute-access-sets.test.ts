import { restrictableAttributes } from '../../../src/platform/contract/employee-attributes.js';
import { testServer } from '../../support/database/database.js';
import { createRandom } from '../../support/input/random.js';
import {
  type Access,
  accessName,
  accessScene,
  activeKeys,
  randomAccess,
} from '../../support/records/access-scene.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t, { recorded: false });
const random = createRandom(20_261_129);
const { allow, get, paths, calls, differenceIn, differenceOfCall } = await accessScene(api, random);

/** Lists that use an attribute, by its name in the contract or its key. No application can use one that is archived or unknown. */
const queries: readonly (readonly [string, string])[] = [
  ['job_title', 'filter[job_title]=x'],
  ['location', 'filter[location]=x'],
  ['hire_date', 'filter[hire_date][gte]=2020-01-01'],
  ['termination_date', 'filter[termination_date][lt]=2020-01-01'],
  ['manager_id', 'filter[manager_id]=x'],
  ...restrictableAttributes.map((name) => [name, `sort=-${name}`] as const),
  ['kq_note', 'filter[custom.kq_note]=x'],
  ['kq_score', 'filter[custom.kq_score][gte]=1'],
  ['kq_salary', 'filter[custom.kq_salary]=1'],
  ['kq_born', 'filter[custom.kq_born][lt]=2020-01-01'],
  ['kq_remote', 'filter[custom.kq_remote]=true'],
  ['kq_level', 'filter[custom.kq_level]=markedlevel-lead'],
  ['kq_old', 'filter[custom.kq_old]=x'],
  ['kq_absent', 'filter[custom.kq_absent]=x'],
];

/** The embedded database takes minutes for a thousand. */
const sets = testServer === undefined ? 200 : 1_000;

const isReadable = (name: string, { restricted, chosen }: Access) =>
  name.startsWith('kq_')
    ? activeKeys.includes(name) && chosen.includes(name)
    : !(restricted as readonly string[]).includes(name);

t.test(
  `for ${sets} random sets of attributes, no response and no tool shows a hidden one, each shows the others, and a list uses only readable ones`,
  async (t) => {
    const differences: string[] = [];
    let rejected = 0;
    for (let number = 0; number < sets; number += 1) {
      const access = randomAccess(random);
      await allow(access);
      const found: (string | undefined)[] = [];
      for (const path of random.some(paths, 3)) found.push(differenceIn(path, await get(path), access));
      if (random.chance(0.25)) found.push(await differenceOfCall(random.pick(calls), access));
      const [name, query] = random.pick(queries);
      const { statusCode, body } = await get(`/v1/employees?${query}`);
      if (statusCode === 400) rejected += 1;
      if (statusCode !== (isReadable(name, access) ? 200 : 400))
        found.push(`${query}: ${statusCode} ${body}`);
      for (const difference of found)
        if (difference !== undefined) differences.push(`${difference}, ${accessName(access)}`);
    }
    t.same(differences.slice(0, 3), [], `${differences.length} differences`);
    t.ok(rejected > sets / 4, `${rejected} lists were rejected`);
  },
);
