import { tenant } from '../database/tenants.mjs';
import { exchangeOnce, requestBytes } from '../load/connection.mjs';
import { measureRounds } from '../measure/rounds.mjs';
import { ratios } from '../measure/statistics.mjs';
import { sampleTable } from '../report/tables.mjs';
import { baseUrl } from '../root.mjs';
import { requestTokens } from '../subjects/tokens.mjs';
import { bar } from './bars.mjs';
import { startChanges } from './changes.mjs';
import { withScene } from './scene.mjs';
import { sizes } from './sizes.mjs';

const size = 50;
const lastPage = sizes.million.employees / size;
const owner = tenant(1);

/** Pages that one contestant reads over and over; the last of the deep ones is the last of the list. */
const pagesEach = 50;
const shallow = { from: 1, words: `pages 1–${pagesEach}` };
const deep = { from: lastPage - pagesEach + 1, words: `pages ${lastPage - pagesEach + 1}–${lastPage}` };

/** Enough for hundreds of requests, of which the median is taken. */
const seconds = 1;
const atMost = 1.2;

/** The beginning of a list of a million against its end. */
export const pagesWork = {
  name: 'pages',
  title: `Page 1 and page ${lastPage} of ${sizes.million.employees} employees (1 connection)`,
  run: (context) =>
    withScene(context, { database: 'million' }, async (scene) => {
      const here = await scene.startOurs();
      const elsewhere = await scene.startOurs();
      const headers = {
        authorization: `Bearer ${(await requestTokens(here, [owner])).get(owner.accountId)}`,
      };
      const ways = {
        'by links.next': { subject: here, read: (range) => readByLinks(here, headers, range) },
        'by page[number]': { subject: here, read: (range) => readByNumber(here, headers, range) },
        'by links.next of another process': {
          subject: elsewhere,
          read: (range) => readByLinks(here, headers, range),
        },
      };
      const still = await compareWays(context, scene, { ways, isSteady: true });
      const changes = await startChanges(scene.database, owner);
      const changing = await compareWays(context, scene, { ways, isSteady: false }).finally(() =>
        changes.stop(),
      );
      context.progress(`${changes.count()} employees were added and removed meanwhile`);
      return {
        table: sampleTable(new Map([...still.samples, ...changing.samples])),
        bars: [...still.bars, ...changing.bars],
      };
    }),
};

/** Compares the end of the list with its beginning, however a client gets there. */
async function compareWays(context, { database }, { ways, isSteady }) {
  const suffix = isSteady ? '' : ', while employees come and go';
  const contestants = [];
  for (const [way, { subject, read }] of Object.entries(ways)) {
    for (const range of [shallow, deep]) {
      const pages = await read(range);
      const requests = pages.map(({ bytes, body }) =>
        isSteady ? { bytes, expected: body } : { bytes, shape: 'page' },
      );
      const job = async () => ({ driver: 'fixedRequests', input: { requests } });
      contestants.push({ name: `${range.words} ${way}${suffix}`, subject, job });
    }
  }
  const samples = await measureRounds(context, {
    contestants,
    connections: 1,
    database: database.name,
    seconds,
  });
  const times = (range, way) => samples.get(`${range.words} ${way}${suffix}`).map(({ p50 }) => p50);
  const bars = Object.keys(ways).map((way) =>
    bar(
      `end ÷ beginning ${way}${suffix}: median time of a request`,
      ratios(times(deep, way), times(shallow, way)),
      {
        atMost,
      },
    ),
  );
  return { samples, bars };
}

/** Reads pages as the links lead from one to the next; the first is found by its number. */
async function readByLinks(subject, headers, { from }) {
  const before = from === 1 ? undefined : await readPage(subject, headers, numbered(from - 1));
  const pages = [];
  let path = before === undefined ? numbered(1) : before.next;
  for (let index = 0; index < pagesEach; index += 1) {
    const page = await readPage(subject, headers, path);
    pages.push(page);
    path = page.next;
  }
  return pages;
}

async function readByNumber(subject, headers, { from }) {
  const pages = [];
  for (let number = from; number < from + pagesEach; number += 1) {
    pages.push(await readPage(subject, headers, numbered(number)));
  }
  return pages;
}

function numbered(number) {
  return `/v1/employees?page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;
}

async function readPage({ ports: [port] }, headers, path) {
  const bytes = requestBytes({ path, headers });
  const { status, body } = await exchangeOnce({ port }, bytes);
  const page = JSON.parse(body.toString());
  if (status !== 200 || page.data.length !== size) {
    throw new Error(`${path} is answered with ${status} and ${page.data?.length} employees`);
  }
  return { bytes, body, next: page.links.next?.slice(baseUrl.length) };
}
