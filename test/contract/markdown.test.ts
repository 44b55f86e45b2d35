import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, walkTokens } from 'marked';
import { parse } from 'yaml';
import { markdownDocuments } from '../../scripts/docs/markdown/documents.js';
import {
  type DocumentedParameter,
  type DocumentedResponse,
  rawOperation,
} from '../../scripts/docs/reference/nodes.js';
import { samplesOf } from '../../scripts/docs/samples/samples.js';
import { contractFormats, readerDocuments } from '../../src/features/documentation/frame.js';
import { resolve } from '../../src/platform/contract/contract.js';
import { shownName } from '../../src/platform/contract/object-parameters.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const base = 'http://api.test';
const api = await buildTestApp(t);
const documents = markdownDocuments(contract);

async function read(url: string): Promise<string> {
  const response = await api.injectUnchecked({ url });
  t.equal(response.statusCode, 200, url);
  return response.body;
}

/** Targets of the links of a document. */
function linksOf(text: string): string[] {
  const links: string[] = [];
  walkTokens(lexer(text), (token) => {
    if (token.type === 'link') links.push(String(token.href));
  });
  return links;
}

/** Text of a document without line breaks. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

for (const operation of contract.operations.values()) {
  t.test(`the document of ${operation.id} has its parameters, body, responses and errors`, async (t) => {
    const text = await read(`/docs/operations/${operation.id}.md`);
    const raw = rawOperation(contract, operation);
    t.ok(text.startsWith(`# ${raw.summary}\n`));
    t.match(text, `${operation.method} ${base}${operation.path}\n`);
    const { scopes, otherScopes } = operation;
    for (const scope of [scopes ?? [], ...otherScopes].flat()) t.match(text, `\`${scope}\`: `, scope);
    t.equal(text.includes('those of one line'), otherScopes.length > 0);
    t.equal(text.includes('Authorization: Bearer` with an access token'), operation.scopes !== null);
    for (const parameter of raw.parameters ?? []) {
      const resolved = resolve<DocumentedParameter>(contract.document, parameter);
      const { description } = resolved;
      const name = shownName(resolved);
      t.match(text, `\n- \`${name}\` (`, name);
      t.ok(flat(text).includes(flat(description).trim().split('](')[0] ?? ''), `${name}: description`);
    }
    for (const mediaType of operation.body?.mediaTypes ?? []) t.match(text, `Media type \`${mediaType}\``);
    for (const [status, response] of Object.entries(raw.responses)) {
      const { description } = resolve<DocumentedResponse>(contract.document, response);
      const heading = Number(status) < 400 ? `\n## Response ${status}\n` : `\n- **${status}**: `;
      t.ok(text.includes(heading), status);
      t.ok(flat(text).includes(flat(description).trim()), `${status}: description`);
    }
    const [sample] = samplesOf(contract, operation);
    const source = sample?.source.replaceAll('http://localhost:3000', base);
    t.match(source, /\bcurl /);
    t.ok(text.includes(`\n\`\`\`sh\n${source}\`\`\`\n`), 'the sample of curl');
    t.match(text, /\]\(http:\/\/api\.test\/errors\/[a-z-]+\)/, 'links to errors');
  });
}

t.test('every link of the Markdown documents leads to a document or a heading', async (t) => {
  const reachable = new Set<string>();
  for (const name of documents.keys()) {
    const text = await read(name);
    t.notMatch(text, 'http://localhost:3000', name);
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => `#${heading.toLowerCase()}`);
    for (const link of linksOf(text)) {
      if (link.startsWith('#')) t.ok(anchors.includes(link), `${name}: ${link}`);
      else if (link.startsWith(base)) reachable.add(link.slice(base.length));
      else t.match(link, /^https:\/\//, `${name}: ${link}`);
    }
  }
  for (const url of reachable) {
    const { statusCode, headers } = await api.injectUnchecked({ url });
    // The settings need a session.
    if (url.startsWith('/people/')) t.match(headers.location, /^\/sign_in/, url);
    else t.equal(statusCode, 200, url);
  }
});

t.test('llms.txt has the format of llmstxt.org and links to every document', async (t) => {
  const text = await read('/llms.txt');
  const [title, quote, ...rest] = text.split('\n\n');
  t.equal(title, `# ${contract.document.info.title}`);
  t.match(quote, /^> \S.*\.$/);
  t.notMatch(rest.join('\n\n'), /^#(?!# )/m);
  const sections = text.split(/^## .+\n/m).slice(1);
  for (const line of sections.join('').split('\n').filter(Boolean)) {
    t.match(line, /^- \[[^\]]+\]\(http:\/\/api\.test\/[^)]+\): \S/);
  }
  const linked = linksOf(text).map((link) => link.slice(base.length));
  const expected = [
    ...documents.keys(),
    ...contractFormats.map(({ path }) => path),
    ...readerDocuments.map(({ path }) => path),
  ];
  for (const name of expected.filter((name) => name !== '/llms.txt')) t.ok(linked.includes(name), name);
});

t.test('every chapter of the contract has a guide with its operations', async (t) => {
  for (const { name } of contract.document.tags) {
    const text = await read(`/docs/guides/${name.toLowerCase().replaceAll(' ', '-')}.md`);
    t.ok(text.startsWith(`# ${name}\n`));
    for (const operation of contract.operations.values()) {
      const isPart = rawOperation(contract, operation).tags.includes(name);
      if (isPart) t.match(text, `/docs/operations/${operation.id}.md): \``, `${name}: ${operation.id}`);
    }
  }
});

t.test('the catalogue has every code with its causes and resolution', async (t) => {
  const text = await read('/docs/errors.md');
  for (const [code, { status, causes, resolution }] of Object.entries(contract.problems)) {
    const [, rest = ''] = text.split(`\n## ${code}\n\nStatus ${status}, `);
    const [section = ''] = rest.split('\n## ');
    for (const sentence of [...causes, resolution]) t.ok(section.includes(sentence), `${code}: ${sentence}`);
  }
});

t.test('Markdown is sent as text/markdown, and may be read by scripts of any origin', async (t) => {
  const { headers } = await api.injectUnchecked({ url: '/docs/errors.md' });
  t.match(headers, {
    'content-type': 'text/markdown; charset=utf-8',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  });
  const { headers: index } = await api.injectUnchecked({ url: '/llms.txt' });
  t.equal(index['content-type'], 'text/plain; charset=utf-8');
});

t.test('the workflows are those of the file, with the URL of the server', async (t) => {
  const body = await read('/openapi/v1.arazzo.yaml');
  const file = readFileSync(path.join(packageRoot, 'openapi', 'v1.arazzo.yaml'), 'utf8');
  t.equal(body, file.replaceAll('http://localhost:3000', base));
  const { sourceDescriptions } = parse(body) as { sourceDescriptions: { url: string }[] };
  for (const { url } of sourceDescriptions) {
    await read(new URL(url, `${base}/openapi/v1.arazzo.yaml`).pathname);
  }
});
