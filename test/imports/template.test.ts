import { recordMembers } from '../../src/features/employees/employee-check.js';
import { openFileText } from '../../src/features/imports/formats/file-text.js';
import { chosenOn, importPath, startUpload } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

t.test('the upload page lists all columns and has templates with their names', async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const page = await browser.open(importPath);
  isPage(t, page);
  for (const { label } of recordMembers) t.ok(page.body.includes(`<div>${label}</div>`), label);
  const csv = await browser.open(`${importPath}/template.csv`);
  t.match(csv.headers['content-disposition'], 'employees.csv');
  const labels = recordMembers.map(({ label }) => label);
  t.equal(csv.body, `${labels.join(',')}\r\n`);
  const workbook = await browser.open(`${importPath}/template.xlsx`);
  t.match(workbook.headers['content-type'], /spreadsheetml\.sheet/);
  const bytes = workbook.rawPayload;
  const { content, source } = await openFileText({
    size: bytes.length,
    async *read(start, end) {
      yield bytes.subarray(start, end);
    },
  });
  t.equal(source, 'Excel workbook, sheet “Employees”');
  let text = '';
  for await (const piece of content) text += Buffer.from(piece).toString();
  t.equal(text, `${labels.join(',')}\n`);
  const address = await startUpload(
    browser,
    `${text}1,A,B,a@x.example,active,S${','.repeat(labels.length - 6)}\n`,
  );
  const chosen = Object.values(chosenOn(await browser.open(address)));
  t.same(
    chosen.slice(0, 6),
    recordMembers.slice(0, 6).map(({ name }) => name),
  );
  const member = await signedInBrowser(api, await createUser(database, accountId, { role: 'member' }));
  for (const file of ['template.csv', 'template.xlsx'])
    t.equal((await member.open(`${importPath}/${file}`)).statusCode, 403);
});
