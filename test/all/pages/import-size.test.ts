import { press, startUpload, uploadFile } from '../../support/browser/import-pages.js';
import { isPage } from '../../support/browser/pages.js';
import { createScene, signedInBrowser } from '../../support/oauth/users.js';
import { csvHeader, makeRecords, toCsv } from '../../support/records/import.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

t.test('accepts 50 MB and rejects one byte more with a page', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const imports = () => database.prisma.employeeImport.count({ where: { accountId } });
  const chunks = () => database.prisma.employeeImportChunk.count({ where: { accountId } });
  const limit = 50 * 1024 * 1024;
  const row = toCsv(makeRecords(1)).split('\r\n')[1] ?? '';
  const content = Buffer.alloc(limit + 1, `${row}\n`);
  content.write(`${csvHeader}\n${row}\n`);
  const page = await uploadFile(browser, content);
  isPage(t, page, 413);
  t.match(page.body, /must not be larger than 50 MB/);
  t.equal(await imports(), 0);
  t.equal(await chunks(), 0);
  const larger = await uploadFile(browser, Buffer.alloc(limit + 200_000, 'x'));
  isPage(t, larger, 413, 'by the headers of the request');
  const address = await startUpload(browser, content.subarray(0, limit));
  t.equal(await chunks(), 200);
  await press(browser, address, 'cancel');
  t.equal(await chunks(), 0);
});
