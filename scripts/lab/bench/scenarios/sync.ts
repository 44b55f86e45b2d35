import { createHash } from 'node:crypto';
import { type Database, query } from '../../kit/database/postgresql.js';
import { tenant } from '../../kit/database/tenants.js';
import { get } from '../../kit/http/requests.js';
import { Connection, requestBytes } from '../../kit/load/connection.js';
import { baseUrl } from '../../kit/paths.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { sizes } from '../databases.js';
import { copyComparison, copyEmployees } from './copy-comparison.js';
import { requestTokens } from './tokens.js';

interface Copied {
  readonly count: number;
  /** Of all ids. */
  readonly hash: string;
}

const owner = tenant(1);
const firstPage = '/v1/employees?page%5Bnumber%5D=1&page%5Bsize%5D=500';

/** The nightly synchronization of a partner. */
export const syncScenario = copyComparison<Copied>({
  name: 'sync',
  title: `Copy ${sizes.million.employees} employees by links.next, 500 a page`,
  database: 'million',
  prepare: async (setting) => {
    const server = await setting.startOurs();
    const token = (await requestTokens(server, [owner])).get(owner.accountId) ?? '';
    const expected = await expectedCopy(setting.database);
    return {
      service: server,
      ours: {
        name: 'our server, GET /v1/employees',
        read: () => followLinks(server, token),
        isCorrect: ({ count, hash }) => count === expected.count && hash === expected.hash,
      },
      copy: { name: 'psql, COPY … TO STDOUT', read: () => copyEmployees(setting.database, owner) },
      atMost: 4.5,
    };
  },
});

/** Follows the links to the end. A page is parsed while the server processes the next request. */
function followLinks({ port }: ServerProcess, token: string): Promise<Copied> {
  return new Promise((resolve, reject) => {
    const ids = createHash('sha256');
    let count = 0;
    let path: string | undefined = firstPage;
    let unread: Buffer | undefined;
    const parse = () => {
      if (unread === undefined) return;
      const { data } = JSON.parse(unread.toString());
      for (const { id } of data) ids.update(id);
      count += data.length;
      unread = undefined;
    };
    const connection = new Connection(port, {
      next: () => (path === undefined ? undefined : requestBytes(get(path, token))),
      wantsBody: () => true,
      received(status, _length, body = Buffer.alloc(0)) {
        if (status !== 200) throw new Error(`The status of ${path} is ${status}`);
        path = nextLink(body);
        unread = body;
        // The next request is sent first.
        setImmediate(parse);
      },
      failed: reject,
      stopped() {
        parse();
        connection.close();
        resolve({ count, hash: ids.digest('hex') });
      },
    });
    connection.start();
  });
}

/** Path of the next page, from the end of the body, where the links are. */
function nextLink(body: Buffer): string | undefined {
  const links = body.toString('latin1', body.lastIndexOf('"links"'));
  const [, address] = /"next":(?:null|"([^"]+)")/.exec(links) ?? [];
  return address?.slice(baseUrl.length);
}

async function expectedCopy({ url }: Database): Promise<Copied> {
  const [expected] = await query(
    url,
    `SELECT count(*)::int AS count, encode(sha256(string_agg(id, '' ORDER BY position)::bytea), 'hex') AS hash
     FROM employees WHERE account_id = $1`,
    [owner.accountId],
  );
  return expected;
}
