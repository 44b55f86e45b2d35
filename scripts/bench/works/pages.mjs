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

/** The last pages of the list, read one after the other and over again. */
const deepPages = 50;
const firstDeep = lastPage - deepPages + 1;
const pageOne = 'page 1';
const deepName = (way) => `pages ${firstDeep}–${lastPage} ${way}`;

/** Enough for hundreds of requests, of which the median is taken. */
const seconds = 1;
/** Times of a page by cursor and by number, at most, in relation to page 1. */
const atMostByCursor = 1.2;
const atMostByNumber = 1.6;
const byNumber = deepName('by page[number]');

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
      const pages = {
        [pageOne]: [await readPage(here, headers, numbered(1))],
        [deepName('by links.next')]: await readByLinks(here, headers),
        [byNumber]: await readByNumber(here, headers),
        [deepName('by links.next of another process')]: await readByLinks(elsewhere, headers),
      };
      const still = await comparePages(context, scene, { subject: here, pages, isSteady: true });
      const changes = await startChanges(scene.database, owner);
      const changing = await comparePages(context, scene, { subject: here, pages, isSteady: false }).finally(
        () => changes.stop(),
      );
      context.progress(`${changes.count()} employees were added and removed meanwhile`);
      return {
        table: sampleTable(new Map([...still.samples, ...changing.samples])),
        bars: [...still.bars, ...changing.bars],
      };
    }),
};

/** Compares the end of the list with its beginning, however a client gets there. */
async function comparePages(context, { database }, { subject, pages, isSteady }) {
  const suffix = isSteady ? '' : ', while employees come and go';
  const contestants = Object.entries(pages).map(([name, list]) => {
    const requests = list.map(({ bytes, body }) =>
      isSteady ? { bytes, expected: body } : { bytes, shape: 'page' },
    );
    return {
      name: name + suffix,
      subject,
      job: async () => ({ driver: 'fixedRequests', input: { requests } }),
    };
  });
  const samples = await measureRounds(context, {
    contestants,
    connections: 1,
    database: database.name,
    seconds,
  });
  const times = (name) => samples.get(name).map(({ p50 }) => p50);
  const [beginning, ...ends] = contestants.map(({ name }) => name);
  const bars = ends.map((end) =>
    bar(`${end} ÷ ${pageOne}: median time of a request`, ratios(times(end), times(beginning)), {
      atMost: end.startsWith(byNumber) ? atMostByNumber : atMostByCursor,
    }),
  );
  return { samples, bars };
}

/** Reads the last pages as the links lead from one to the next; the page before them is found by its number. */
async function readByLinks(subject, headers) {
  const pages = [];
  let { next } = await readPage(subject, headers, numbered(firstDeep - 1));
  while (pages.length < deepPages) {
    const page = await readPage(subject, headers, next);
    pages.push(page);
    next = page.next;
  }
  return pages;
}

async function readByNumber(subject, headers) {
  const pages = [];
  for (let number = firstDeep; number <= lastPage; number += 1) {
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
