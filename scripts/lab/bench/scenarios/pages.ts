import { tenant } from '../../kit/database/tenants.js';
import { HttpClient, type HttpRequest, jsonOf, type Send } from '../../kit/http/client.js';
import { get } from '../../kit/http/requests.js';
import { baseUrl } from '../../kit/paths.js';
import type { Service } from '../../kit/server/process.js';
import { ratios } from '../../kit/statistics.js';
import { type Bar, bar } from '../bars.js';
import type { Context, Scenario } from '../context.js';
import { sizes } from '../databases.js';
import { sampleTable } from '../report/tables.js';
import { measureRounds, type Samples, type Target } from '../rounds.js';
import { startChanges } from './changes.js';
import { type Setting, withSetting } from './setting.js';
import { requestTokens } from './tokens.js';

interface Page {
  readonly request: HttpRequest;
  readonly body: Buffer;
  /** Path of the next page. */
  readonly next: string;
}

const size = 50;
const lastPage = sizes.million.employees / size;
const owner = tenant(1);

/** Number of pages at the end of the list that are read in turn. */
const deepPages = 50;
const firstDeep = lastPage - deepPages + 1;
const pageOne = 'page 1';
const deepName = (way: string) => `pages ${firstDeep}–${lastPage} ${way}`;
const byNumber = deepName('by page[number]');

/** Seconds for hundreds of requests, whose median is used. */
const seconds = 1;

/** Bounds for the time of a page by cursor and by number, in relation to page 1. */
const atMostByCursor = 1.2;
const atMostByNumber = 1.6;

/** The first page of a list of a million, compared with its last pages. */
export const pagesScenario: Scenario = {
  name: 'pages',
  title: `Page 1 and page ${lastPage} of ${sizes.million.employees} employees (1 connection)`,
  run: (context) =>
    withSetting(context, 'million', async (setting) => {
      const server = await setting.startOurs();
      const client = new HttpClient(server.port);
      const otherClient = new HttpClient((await setting.startOurs()).port);
      const token = (await requestTokens(server, [owner])).get(owner.accountId) ?? '';
      const pages = new Map([
        [pageOne, [await readPage(client.send, token, numbered(1))]],
        [deepName('by links.next'), await readByLinks(client.send, token)],
        [byNumber, await readByNumber(client.send, token)],
        [deepName('by links.next of another process'), await readByLinks(otherClient.send, token)],
      ]);
      client.close();
      otherClient.close();
      const unchanged = await comparePages(context, setting, { service: server, pages, isUnchanged: true });
      const changes = await startChanges(setting.database, owner);
      const changing = await comparePages(context, setting, {
        service: server,
        pages,
        isUnchanged: false,
      }).finally(() => changes.stop());
      context.progress(`${changes.count()} employees were added and removed at the same time`);
      return {
        table: sampleTable(new Map([...unchanged.samples, ...changing.samples])),
        bars: [...unchanged.bars, ...changing.bars],
      };
    }),
};

/** Compares the last pages, by cursor and by number, with the first one. */
async function comparePages(
  context: Context,
  { database }: Setting,
  {
    service,
    pages,
    isUnchanged,
  }: { service: Service; pages: ReadonlyMap<string, readonly Page[]>; isUnchanged: boolean },
): Promise<{ samples: Samples; bars: Bar[] }> {
  const suffix = isUnchanged ? '' : ', while employees are added and removed';
  const targets = [...pages].map(([name, list]): Target => {
    const requests = list.map(({ request, body }) =>
      isUnchanged ? { request, expected: body } : { request, shape: 'page' as const },
    );
    return {
      name: name + suffix,
      service,
      job: async () => ({ load: 'fixedRequests', input: { requests } }),
    };
  });
  const samples = await measureRounds(context, {
    targets,
    connections: 1,
    database: database.name,
    seconds,
  });
  const times = (name: string) => (samples.get(name) ?? []).map(({ p50 }) => p50);
  const [beginning, ...ends] = targets.map(({ name }) => name);
  const bars = ends.map((end) =>
    bar(`${end} ÷ ${pageOne}: median time of a request`, ratios(times(end), times(beginning)), {
      atMost: end.startsWith(byNumber) ? atMostByNumber : atMostByCursor,
    }),
  );
  return { samples, bars };
}

/** Reads the last pages by the links of each page. The page before them is read by its number. */
async function readByLinks(send: Send, token: string): Promise<Page[]> {
  const pages: Page[] = [];
  let { next } = await readPage(send, token, numbered(firstDeep - 1));
  while (pages.length < deepPages) {
    const page = await readPage(send, token, next);
    pages.push(page);
    next = page.next;
  }
  return pages;
}

async function readByNumber(send: Send, token: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let number = firstDeep; number <= lastPage; number += 1) {
    pages.push(await readPage(send, token, numbered(number)));
  }
  return pages;
}

function numbered(number: number): string {
  return `/v1/employees?page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;
}

async function readPage(send: Send, token: string, path: string): Promise<Page> {
  const request = get(path, token);
  const response = await send(request);
  const { data, links } = jsonOf(response);
  if (response.status !== 200 || data.length !== size) {
    throw new Error(`${path}: ${response.status} with ${data?.length} employees`);
  }
  return { request, body: response.body, next: links.next?.slice(baseUrl.length) };
}
