import { tenants } from '../database/tenants.mjs';
import { measureRounds } from '../measure/rounds.mjs';
import { sampleTable } from '../report/tables.mjs';
import { startOurs } from '../subjects/ours.mjs';
import { together } from '../subjects/subject.mjs';
import { requestTokens } from '../subjects/tokens.mjs';
import { compare } from './bars.mjs';
import { listReads, proveReads } from './reads.mjs';
import { withScene } from './scene.mjs';
import { sizes } from './sizes.mjs';

const connections = 32;
const few = `${sizes.tenants.tenants} tenants`;
const many = `${sizes.wide.tenants} tenants`;

/** What more tenants and more processes cost and bring. */
export const scaleWorks = [
  {
    name: 'tenants',
    title: `List with ${few} and with ${many} of ${sizes.wide.employees} employees each (32 connections)`,
    run: (context) =>
      withScene(context, { database: 'tenants' }, async ({ database, startOurs: startSmall, start }) => {
        const wide = await context.database('wide');
        const small = await contestant(few, await startSmall(), { database, size: sizes.tenants });
        const server = await start(startOurs({ databaseUrl: wide.url }));
        const large = await contestant(many, server, { database: wide, size: sizes.wide });
        const samples = await measureRounds(context, { contestants: [small, large], connections });
        // A cost that is a tenth higher is a ratio of the requests that is a tenth lower.
        const bound = { atMost: 1.1 };
        return {
          table: sampleTable(samples),
          bars: ['perServerSecond', 'perTotalSecond'].map((metric) =>
            compare(samples, { of: few, against: many, bound, metric }),
          ),
        };
      }),
  },
  {
    name: 'processes',
    title: 'List 50 employees from one process and from two (32 connections)',
    run: (context) =>
      withScene(context, { database: 'tenants' }, async ({ database, startOurs: startOne }) => {
        const [first, second] = [await startOne(), await startOne()];
        const where = { database, size: sizes.tenants };
        const alone = await contestant('one process', first, where);
        const both = { ...alone, name: 'two processes', subject: together([first, second]) };
        const samples = await measureRounds(context, { contestants: [alone, both], connections });
        return {
          table: sampleTable(samples),
          bars: [compare(samples, { of: both.name, against: alone.name, bound: {}, metric: 'perSecond' })],
        };
      }),
  },
];

async function contestant(name, subject, { database, size }) {
  const tokens = await requestTokens(subject, tenants(size.tenants));
  const requests = await proveReads({ name, subject, tokens }, await listReads(database, size));
  const job = async () => ({ driver: 'fixedRequests', input: { requests } });
  return { name, subject, job, database: database.name };
}
