import { json } from '../layout.js';
import {
  computes,
  type Field,
  headersOf,
  type SampleBody,
  type SampleRequest,
  type Text,
} from '../request.js';

const computed = {
  unique: '$(openssl rand -hex 16)',
  code_challenge: '$CODE_CHALLENGE',
} as const;

const challenge = `# Keep the verifier: the token request needs it.
CODE_VERIFIER=$(openssl rand -hex 32)
CODE_CHALLENGE=$(printf %s "$CODE_VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr +/ -_ | tr -d =)
`;

/** Writes a request as a command of curl. */
export function curl(request: SampleRequest): string {
  const { body, result } = request;
  if (result.kind === 'url') return browserUrl(request);
  const lines = [
    command(request),
    ...headersOf(request, 'form').map(([name, value]) => `-H ${quoted([`${name}: `, ...value])}`),
    ...bodyOptions(body),
  ];
  const isPaged = result.kind === 'records' && result.pages !== null;
  const prelude = computes(request, 'code_challenge') ? challenge : '';
  const comment = isPaged ? '# links.next of the response is the URL of the next page.\n' : '';
  return `${prelude}${comment}${lines.join(' \\\n  ')}\n`;
}

function command({ method, url, query, body, result }: SampleRequest): string {
  // Brackets in a URL are patterns, unless -g is given.
  const flags = `-sS${result.kind === 'status' ? 'i' : ''}${query.length > 0 ? 'g' : ''}`;
  const implied = body === null ? 'GET' : 'POST';
  const fields = query.map(([name, value]) => `${name}=${readable(value)}`).join('&');
  const address = quoted([...url, ...(fields === '' ? [] : [`?${fields}`])]);
  return `curl ${flags} --fail-with-body ${method === implied ? '' : `-X ${method} `}${address}`;
}

/** The values of the query, percent-encoded except for commas. */
function readable(value: Text): string {
  return value.map((part) => encodeURIComponent(String(part)).replaceAll('%2C', ',')).join('');
}

function bodyOptions(body: SampleBody | null): string[] {
  if (body === null) return [];
  if (body.kind === 'form') return formOptions(body.fields);
  return [`-d ${quoted([json(body.value).replaceAll('\n', '\n  ')])}`];
}

function formOptions(fields: readonly Field[]): string[] {
  return fields.map(([name, value]) => {
    const needsEncoding = value.some((part) => typeof part !== 'string' || encodeURIComponent(part) !== part);
    return `${needsEncoding ? '--data-urlencode' : '-d'} ${quoted([`${name}=`, ...value])}`;
  });
}

function browserUrl(request: SampleRequest): string {
  const { url, query } = request;
  const prelude = computes(request, 'code_challenge') ? challenge : '';
  const lines = [`curl -sSG -o /dev/null -w '%{redirect_url}\\n' ${quoted(url)}`, ...formOptions(query)];
  const comment = '# Open this URL in a browser. curl shows the first redirect of one without a session.\n';
  return `${prelude}${comment}${lines.join(' \\\n  ')}\n`;
}

/** An argument of the command. */
function quoted(text: Text): string {
  if (text.some((part) => typeof part !== 'string')) {
    const parts = text.map((part) => {
      if (typeof part === 'string') return part.replaceAll(/[\\"$`]/g, '\\$&');
      if ('computed' in part) return computed[part.computed];
      return `$${'local' in part ? part.local : part.environment}`;
    });
    return `"${parts.join('')}"`;
  }
  const word = text.join('');
  return /^[\w:/.,=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
