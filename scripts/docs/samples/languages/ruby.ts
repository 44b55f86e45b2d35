import { enclosed, indent, type Literals, literal } from '../layout.js';
import {
  computes,
  type Field,
  headersOf,
  type SampleBody,
  type SampleRequest,
  type Text,
  type Variable,
} from '../request.js';
import type { Result } from '../result.js';

const computed = { unique: 'SecureRandom.uuid', code_challenge: 'code_challenge' } as const;

const challenge = `# Keep the verifier: the token request needs it.
code_verifier = SecureRandom.urlsafe_base64(32)
digest = Digest::SHA256.digest(code_verifier)
code_challenge = Base64.urlsafe_encode64(digest, padding: false)
`;

const rejection = 'abort JSON.parse(response.body)["detail"] unless response.is_a?(Net::HTTPSuccess)\n';

const literals: Literals = {
  null: 'nil',
  true: 'true',
  false: 'false',
  string: quoted,
  pair: (name, value) => `${/^[a-z_]\w*$/.test(name) ? name : quoted(name)}: ${value}`,
  array: { open: '[', close: ']', by: '  ' },
  object: { open: '{', close: '}', padding: ' ', by: '  ' },
};

/** Writes a request as a script for Ruby. */
export function ruby(request: SampleRequest): string {
  const program = programOf(request);
  const libraries = Object.entries({
    base64: /\bBase64\./,
    digest: /\bDigest::/,
    json: /\bJSON\./,
    'net/http': /\bNet::HTTP\b/,
    securerandom: /\bSecureRandom\./,
    uri: /\bURI\./,
  });
  // URI is a part of net/http.
  const needed = libraries.filter(
    ([name, use]) => use.test(program) && !(name === 'uri' && /Net::/.test(program)),
  );
  return `${needed.map(([name]) => `require "${name}"\n`).join('')}\n${program}`;
}

function programOf(request: SampleRequest): string {
  const { query, result } = request;
  const assigned = query.length === 0 ? '' : `query = URI.encode_www_form(${fields(query)})\n`;
  const prelude = `${computes(request, 'code_challenge') ? challenge : ''}${assigned}`;
  const url = expression([...request.url, ...(query.length === 0 ? [] : ['?', { local: 'query' }])]);
  if (result.kind === 'url') return `${prelude}puts ${url}\n`;
  if (result.kind !== 'records' || result.pages === null) {
    return `${prelude}uri = URI(${url})\n${headers(request)}${exchange(request)}`;
  }
  const next =
    result.pages === 'feed'
      ? 'page["meta"]["has_more"] ? page["links"]["next"] : nil'
      : 'page["links"]["next"]';
  const steps = `${exchange(request, 'URI(url)')}url = ${next}\n`;
  return `${prelude}${headers(request)}url = ${url}\nwhile url\n${indent(steps, '  ')}end\n`;
}

function headers(request: SampleRequest): string {
  const pairs = headersOf(request).map(([name, value]) => `"${name}" => ${expression(value)}`);
  return pairs.length === 0 ? '' : `headers = ${enclosed(pairs, literals.object)}\n`;
}

/** Sends the request, rejects errors and prints the result. */
function exchange(request: SampleRequest, uri = 'uri'): string {
  const { body, result } = request;
  const given = headersOf(request).length === 0 ? '' : ', headers';
  if (result.kind === 'text') {
    const steps = `${rejection}response.read_body { |chunk| print chunk }\n`;
    return `Net::HTTP.get_response(${uri}${given}) do |response|\n${indent(steps, '  ')}end\n`;
  }
  const content = body === null ? '' : `body = ${bodyOf(body)}\n`;
  return `${content}response = ${call(request, uri, given)}${rejection}${print(result)}`;
}

function call({ method, body }: SampleRequest, uri: string, headers: string): string {
  if (method === 'GET') return `Net::HTTP.get_response(${uri}${headers})\n`;
  const content = body === null ? 'nil' : 'body';
  if (method === 'POST') return `Net::HTTP.post(${uri}, ${content}${headers})\n`;
  const sent = method === 'DELETE' ? '' : `, ${content}`;
  return [
    'Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") do |http|',
    `  http.${method.toLowerCase()}(uri.request_uri${sent}${headers})`,
    'end\n',
  ].join('\n');
}

function bodyOf(body: SampleBody): string {
  if (body.kind === 'form') return `URI.encode_www_form(${fields(body.fields)})`;
  return `JSON.generate(${literal(body.value, literals)})`;
}

function print(result: Result): string {
  switch (result.kind) {
    case 'members': {
      const members = result.paths.map((path) => member('result', path));
      return `result = JSON.parse(response.body)\nputs ${members.join(', ')}\n`;
    }
    case 'records': {
      const members = result.members.map((name) => `#{${member('record', [name])}}`);
      const loop = `page["data"].each { |record| puts "${members.join(' ')}" }\n`;
      return `page = JSON.parse(response.body)\n${loop}`;
    }
    default:
      return 'puts response.code\n';
  }
}

function member(name: string, path: readonly string[]): string {
  return `${name}${path.map((key) => `[${quoted(key)}]`).join('')}`;
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
  const parts = text.map((part) => (typeof part === 'string' ? escaped(part) : `#{${value(part)}}`));
  return `"${parts.join('')}"`;
}

function value(variable: Variable): string {
  if ('computed' in variable) return computed[variable.computed];
  return 'local' in variable ? variable.local : `ENV.fetch("${variable.environment}")`;
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** The text without its quotes. */
function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/#(?=[{$@])/g, '\\#');
}
