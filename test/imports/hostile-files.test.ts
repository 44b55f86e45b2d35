import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { check, press, startUpload, stateOn } from '../support/browser/import-pages.js';
import { enterableNames } from '../support/input/hostile-names.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

t.test('hostile names of files, columns and values stay text', async (t) => {
  const browser = await signedInBrowser(api, (await createScene(database)).user);
  // The columns page lists up to ten values of the status, if all of them are short.
  const sorted = enterableNames.toSorted((a, b) => a.length - b.length);
  for (let start = 0; start < sorted.length; start += 10) {
    const names = sorted.slice(start, start + 10);
    const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`);
    const rows = quoted.map((value) => [...Array(6).fill(value), ...quoted]);
    const file = [[csvHeader, ...quoted], ...rows].map((row) => row.join(',')).join('\n');
    const name = names
      .map((each) => each.slice(0, 30))
      .join('')
      .toWellFormed();
    const address = await startUpload(browser, file, { name: name.replaceAll(/["\r\n/\\]/g, '') });
    const columns = await browser.open(address);
    t.equal(columns.statusCode, 200);
    t.notMatch(columns.body, /<script>alert|<img src=x|<h1>x|<!--/);
    const checked = await check(api, browser, address);
    t.notMatch(checked.body, /<script>alert|<img src=x|<h1>x|<!--/);
    t.equal(stateOn(checked), 'Checked, not imported');
    await press(browser, address, 'cancel');
    await database.prisma.employeeImport.deleteMany({ where: { id: address.split('/').at(-1) ?? '' } });
  }
});

t.test('the columns of a file with 80 long names and long values are at most 30 KB', async (t) => {
  const browser = await signedInBrowser(api, (await createScene(database)).user);
  const row = () => Array.from({ length: 80 }, () => randomBytes(300).toString('base64url')).join(',');
  const address = await startUpload(browser, Array.from({ length: 11 }, row).join('\n'));
  const { length } = gzipSync((await browser.open(address)).body);
  t.ok(length <= 30 * 1024, `${length} bytes`);
});
