import { createHash } from 'node:crypto';
import { withClient } from '../database/server.mjs';
import { tenant } from '../database/tenants.mjs';
import { Connection, requestBytes } from '../load/connection.mjs';
import { baseUrl } from '../root.mjs';
import { requestTokens } from '../subjects/tokens.mjs';
import { copyEmployees } from './copy.mjs';
import { race } from './race.mjs';
import { sizes } from './sizes.mjs';

const owner = tenant(1);
const firstPage = '/v1/employees?page%5Bnumber%5D=1&page%5Bsize%5D=500';

/** What a partner does every night. */
export const syncWork = race({
  name: 'sync',
  title: `Copy ${sizes.million.employees} employees by links.next, 500 a page`,
  database: 'million',
  prepare: async (scene) => {
    const server = await scene.startOurs();
    const headers = {
      authorization: `Bearer ${(await requestTokens(server, [owner])).get(owner.accountId)}`,
    };
    const expected = await idsOf(scene.database);
    return {
      subject: server,
      ours: {
        name: 'our server, GET /v1/employees',
        act: () => followLinks(server, headers),
        isRight: ({ count, hash }) => count === expected.count && hash === expected.hash,
        units: ({ pages }) => pages,
        unit: 'page',
      },
      copy: { name: 'psql, COPY … TO STDOUT', act: () => copyEmployees(scene.database, owner) },
      atMost: 4.5,
    };
  },
});

/** Follows the links to the end. A page is looked at while the server is at work on the next one. */
function followLinks({ ports: [port] }, headers) {
  return new Promise((resolve, reject) => {
    const ids = createHash('sha256');
    let count = 0;
    let pages = 0;
    let path = firstPage;
    let unread;
    const read = () => {
      if (unread === undefined) return;
      const { data } = JSON.parse(unread.toString());
      for (const { id } of data) ids.update(id);
      count += data.length;
      pages += 1;
      unread = undefined;
    };
    const connection = new Connection(
      { host: '127.0.0.1', port },
      {
        next: () => (path === null ? null : requestBytes({ path, headers })),
        wantsBody: () => true,
        answered(status, _length, body) {
          if (status !== 200) throw new Error(`${path} is answered with ${status}`);
          path = nextLink(body);
          // The request is on its way before this is read.
          setImmediate(read);
          unread = body;
        },
        failed: reject,
        stopped() {
          read();
          connection.close();
          resolve({ count, pages, hash: ids.digest('hex') });
        },
      },
    );
    connection.start();
  });
}

/** Address of the next page, found where the links are: at the end. */
function nextLink(body) {
  const links = body.latin1Slice(body.lastIndexOf('"links"'));
  const [, address] = /"next":(?:null|"([^"]+)")/.exec(links) ?? [];
  return address === undefined ? null : address.slice(baseUrl.length);
}

function idsOf({ url }) {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT count(*)::int AS count, encode(sha256(string_agg(id, '' ORDER BY position)::bytea), 'hex') AS hash
       FROM employees WHERE account_id = $1`,
      [owner.accountId],
    );
    return rows[0];
  });
}
