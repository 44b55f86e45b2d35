import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { lexer, type Token, walkTokens } from 'marked';
import { packageRoot } from '../src/platform/package-root.js';
import t from './support/tap.js';

const resolve = (...parts: string[]) => path.join(packageRoot, ...parts);
const read = (file: string) => readFileSync(resolve(file), 'utf8');

/** Paths of the documents at the root and in some folders, relative to the package. */
const documents = [
  ...readdirSync(packageRoot),
  ...['docs', 'src', 'test'].flatMap((folder) =>
    readdirSync(resolve(folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      path.join(folder, file),
    ),
  ),
].filter((file) => file.endsWith('.md') && !file.includes('node_modules'));

interface Parts {
  readonly links: readonly string[];
  /** Anchors of the headings, as GitHub generates them. */
  readonly anchors: readonly string[];
  /** Text that is marked as code, outside of blocks. */
  readonly code: readonly string[];
}

function partsOf(file: string): Parts {
  const tokens: Token[] = [];
  walkTokens(lexer(read(file)), (token) => {
    tokens.push(token);
  });
  const links = tokens.filter(({ type }) => type === 'link' || type === 'image');
  return {
    links: links.map((token) => ('href' in token ? String(token.href) : '')),
    anchors: textsOf(tokens, 'heading').map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
    code: textsOf(tokens, 'codespan'),
  };
}

function textsOf(tokens: readonly Token[], wanted: string): string[] {
  return tokens.flatMap((token) => (token.type === wanted && 'text' in token ? [String(token.text)] : []));
}

/** Whether a link leads to a file, and to a heading in it if it has an anchor. */
function isResolved(file: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const found = target === '' ? file : path.join(path.dirname(file), target);
  return existsSync(resolve(found)) && (anchor === undefined || partsOf(found).anchors.includes(anchor));
}

t.test('every relative link and image of the documents leads to a file or a heading', async (t) => {
  t.ok(documents.includes('README.md') && documents.includes(path.join('docs', 'architecture.md')));
  for (const file of documents) {
    const relative = partsOf(file).links.filter((link) => !/^[a-z]+:/.test(link));
    const broken = relative.filter((link) => !isResolved(file, link));
    t.same(broken, [], file);
  }
});

t.test('a link with the name of a file leads to this file', async (t) => {
  for (const file of documents) {
    const named = [...read(file).matchAll(/\[`([\w.-]+\.(?:ts|tsx|mjs|js))`\]\(([^)]+)\)/g)];
    const others = named.filter(([, name, target = '']) => path.basename(target) !== name);
    t.same(
      others.map(([link]) => link),
      [],
      file,
    );
  }
});

t.test('every path that the documents name exists', async (t) => {
  const inPackage = /^(src|test|scripts|prisma|openapi|docs|\.ci)\/[^\s*<…]+$/;
  for (const file of documents) {
    const paths = partsOf(file).code.filter((text) => inPackage.test(text));
    const unknown = paths.filter((named) => !existsSync(resolve(named)));
    t.same(unknown, [], file);
  }
});

t.test('every npm script that the documents name exists', async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const file of documents) {
    const named = [...read(file).matchAll(/\bnpm run (?:--silent )?([a-z:-]+)/g)].map(
      ([, name = '']) => name,
    );
    const unknown = named.filter((name) => !Object.hasOwn(scripts, name));
    t.same(unknown, [], file);
  }
});

t.test('the diagram of the architecture has the layers that the linter checks, highest first', async (t) => {
  const { forbidden } = createRequire(import.meta.url)(resolve('.dependency-cruiser.cjs')) as {
    forbidden: { name: string }[];
  };
  const layers = forbidden.flatMap(({ name }) => /^(.+)-imports-down-only$/.exec(name)?.[1] ?? []);
  const diagram = /```mermaid\n([\s\S]*?)```/.exec(read('docs/architecture.md'))?.[1] ?? '';
  const drawn = [...diagram.matchAll(/^ +([a-z-]+)\["\1: /gm)].map(([, name]) => name);
  t.same(drawn, layers.reverse());
});

t.test('the README has at most 150 lines, and its pictures less than 150 KB each', async (t) => {
  t.ok(read('README.md').split('\n').length <= 151);
  const pictures = partsOf('README.md').links.filter((link) => link.startsWith('docs/images/'));
  t.equal(pictures.length, 4);
  for (const picture of pictures) t.ok(statSync(resolve(picture)).size < 150_000, picture);
});
