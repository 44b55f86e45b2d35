import { enclosed, indent, type Literals, literal } from '../layout.js';
import { computes, type Field, headersOf, type SampleRequest, type Text, type Variable } from '../request.js';
import type { Result } from '../result.js';

const computed = { unique: 'crypto.randomUUID()', code_challenge: 'codeChallenge' } as const;

const challenge = `import { createHash, randomBytes } from 'node:crypto';

// Keep the verifier: the token request needs it.
const codeVerifier = randomBytes(32).toString('base64url');
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
`;

const literals: Literals = {
  null: 'null',
  true: 'true',
  false: 'false',
  string: quoted,
  pair: (name, value) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: ${value}`,
  array: { open: '[', close: ']', by: '  ' },
  object: { open: '{', close: '}', padding: ' ', by: '  ' },
};

/** Characters of a URL in the call of `fetch`. A longer one has a line of its own. */
const longest = 80;

/** Writes a request as a module for Node.js. */
export function javascript(request: SampleRequest): string {
  const { query, result } = request;
  const assigned = query.length === 0 ? '' : `const query = ${searchParams(query)};\n`;
  const prelude = `${computes(request, 'code_challenge') ? challenge : ''}${assigned}`;
  const url = expression([...request.url, ...(query.length === 0 ? [] : ['?', { local: 'query' }])]);
  if (result.kind === 'url') return `${prelude}console.log(${url});\n`;
  if (result.kind !== 'records' || result.pages === null) {
    if (url.length <= longest) return `${prelude}${exchange(request, url)}${print(result)}`;
    return `${prelude}const url = ${url};\n${exchange(request, 'url')}${print(result)}`;
  }
  const next = result.pages === 'links' ? 'page.links.next' : 'page.meta.has_more ? page.links.next : null';
  const steps = `${exchange(request, 'url')}${print(result)}url = ${next};\n`;
  return `${prelude}let url = ${url};\nwhile (url !== null) {\n${indent(steps, '  ')}}\n`;
}

/** Sends the request and rejects errors. */
function exchange(request: SampleRequest, url: string): string {
  const { method, body } = request;
  const headers = headersOf(request, 'form');
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: ${fields(headers.map(lowerCase))}`]),
    ...(body?.kind === 'form' ? [`body: ${searchParams(body.fields)}`] : []),
    ...(body?.kind === 'json' ? [`body: JSON.stringify(${literal(body.value, literals)})`] : []),
  ];
  // Options are on lines of their own, also a single one.
  const given =
    options.length === 0 ? '' : `, {\n${indent(options.map((one) => `${one},\n`).join(''), '  ')}}`;
  return [
    `const response = await fetch(${url}${given});`,
    'if (!response.ok) throw new Error((await response.json()).detail);\n',
  ].join('\n');
}

function print(result: Result): string {
  switch (result.kind) {
    case 'members': {
      const members = result.paths.map((path) => `result.${path.join('.')}`);
      return `const result = await response.json();\nconsole.log(${members.join(', ')});\n`;
    }
    case 'records': {
      const members = result.members.map((name) => `record.${name}`).join(', ');
      const loop = `for (const record of page.data) console.log(${members});\n`;
      return `const page = await response.json();\n${loop}`;
    }
    case 'text':
      return `for await (const chunk of response.body) process.stdout.write(chunk);\n`;
    default:
      return `console.log(response.status);\n`;
  }
}

function lowerCase([name, value]: Field): Field {
  return [name.toLowerCase(), value];
}

function searchParams(given: readonly Field[]): string {
  return `new URLSearchParams(${fields(given)})`;
}

function fields(given: readonly Field[]): string {
  return enclosed(
    given.map(([name, value]) => literals.pair(name, expression(value))),
    literals.object,
  );
}

function expression(text: Text): string {
  const [only] = text;
  if (text.length === 1 && typeof only === 'object') return value(only);
  if (text.every((part) => typeof part === 'string')) return quoted(text.join(''));
  const parts = text.map((part) =>
    typeof part === 'string' ? part.replaceAll(/\\|`|\$(?=\{)/g, '\\$&') : `\${${value(part)}}`,
  );
  return `\`${parts.join('')}\``;
}

function value(variable: Variable): string {
  if ('computed' in variable) return computed[variable.computed];
  return 'local' in variable ? variable.local : `process.env.${variable.environment}`;
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
