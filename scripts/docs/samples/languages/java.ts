import { indent, json } from '../layout.js';
import {
  computes,
  type Field,
  headersOf,
  joined,
  type Part,
  type SampleBody,
  type SampleRequest,
  type Text,
  type Variable,
} from '../request.js';

const step = '    ';
const continued = `${step}${step}`;

const challenge = `// Keep the verifier: the token request needs it.
var bytes = new byte[32];
new SecureRandom().nextBytes(bytes);
var encoder = Base64.getUrlEncoder().withoutPadding();
var codeVerifier = encoder.encodeToString(bytes);
var digest = MessageDigest.getInstance("SHA-256").digest(codeVerifier.getBytes());
var codeChallenge = encoder.encodeToString(digest);
`;

/** Writes a request as a program in a single file, for Java 17. */
export function java(request: SampleRequest): string {
  return new JavaProgram(request).source();
}

class JavaProgram {
  readonly #request: SampleRequest;
  readonly #imports = new Set<string>();

  constructor(request: SampleRequest) {
    this.#request = request;
  }

  source(): string {
    const statements = this.#request.result.kind === 'url' ? this.#browserUrl() : this.#exchange();
    const imports = [...this.#imports].sort().map((name) => `import ${name};\n`);
    const main = `public static void main(String[] args) throws Exception {\n${indent(statements, step)}}\n`;
    return `${imports.join('')}\nclass Sample {\n${indent(main, step)}}\n`;
  }

  #browserUrl(): string {
    const { url, query } = this.#request;
    const form = `var query = ${this.#form(query)};\n`;
    return `${this.#challenge()}${form}System.out.println(${this.#text([...url, '?', { local: 'query' }])});\n`;
  }

  /** The code challenge, if the request has one. */
  #challenge(): string {
    if (!computes(this.#request, 'code_challenge')) return '';
    for (const name of ['MessageDigest', 'SecureRandom']) this.#use(`java.security.${name}`);
    this.#use('java.util.Base64');
    return challenge;
  }

  #exchange(): string {
    for (const name of ['HttpClient', 'HttpRequest', 'HttpResponse.BodyHandlers']) {
      this.#use(`java.net.http.${name}`);
    }
    for (const name of ['io.IOException', 'net.URI']) this.#use(`java.${name}`);
    const { body, result } = this.#request;
    const isStream = result.kind === 'text';
    const isPaged = result.kind === 'records' && result.pages !== null;
    const content = isStream ? 'new String(response.body().readAllBytes())' : 'response.body()';
    const printed = result.kind === 'status' ? 'response.statusCode()' : 'response.body()';
    const url = this.#url();
    const isLiteral = !url.includes(' + ');
    const statements = [
      ...(isLiteral ? [] : [`var url = ${url};`]),
      ...(body === null ? [] : [`var body = ${this.#body(body)};`]),
      `var request = ${this.#builder(isLiteral ? url : 'url')};`,
      `var response = HttpClient.newHttpClient().send(request, BodyHandlers.${isStream ? 'ofInputStream' : 'ofString'}());`,
      `if (response.statusCode() >= 400) throw new IOException(${content});`,
      ...(isPaged ? ['// links.next of the response is the URL of the next page.'] : []),
      isStream ? 'response.body().transferTo(System.out);\n' : `System.out.println(${printed});\n`,
    ];
    return `${this.#challenge()}${statements.join('\n')}`;
  }

  #builder(url: string): string {
    const headers = headersOf(this.#request);
    const calls = [
      `.uri(URI.create(${url}))`,
      ...headers.map(([name, value]) => `.header("${name}", ${this.#text(value)})`),
      ...this.#method(),
      '.build()',
    ];
    return ['HttpRequest.newBuilder()', ...calls].join(`\n${continued}`);
  }

  #url(): string {
    // Java has no function that writes a query.
    const [first = [], ...others] = this.#request.query.map((field) => this.#formPart(field));
    const query = first.length === 0 ? [] : ['?', ...first, ...others.flatMap((part) => ['&', ...part])];
    return this.#text([...this.#request.url, ...query]);
  }

  #method(): string[] {
    const { method } = this.#request;
    if (method === 'GET') return [];
    if (method === 'DELETE') return ['.DELETE()'];
    this.#use('java.net.http.HttpRequest.BodyPublishers');
    const publisher = `BodyPublishers.${this.#request.body === null ? 'noBody()' : 'ofString(body)'}`;
    return [method === 'POST' ? `.POST(${publisher})` : `.method("${method}", ${publisher})`];
  }

  #body(body: SampleBody): string {
    if (body.kind === 'form') return this.#form(body.fields);
    const text = json(body.value).replaceAll('\\', '\\\\');
    return `"""\n${indent(ascii(text), continued)}"""`;
  }

  /** The encoded fields of a form or a query, each on its line. */
  #form(fields: readonly Field[]): string {
    const lines = fields.map((field, at) => {
      const part = this.#formPart(field);
      return this.#text(at === 0 ? part : ['&', ...part]);
    });
    return lines.join(`\n${continued}+ `);
  }

  #formPart([name, value]: Field): Text {
    return [`${encodeURIComponent(name)}=`, ...value.map((part) => this.#encoded(part))];
  }

  #encoded(part: Part): Part {
    if (typeof part === 'string') return encodeURIComponent(part);
    if (!('environment' in part)) return part;
    for (const name of ['net.URLEncoder', 'nio.charset.StandardCharsets']) this.#use(`java.${name}`);
    return { local: `URLEncoder.encode(${this.#value(part)}, StandardCharsets.UTF_8)` };
  }

  #text(text: Text): string {
    return joined(text)
      .map((part) => (typeof part === 'string' ? quoted(part) : this.#value(part)))
      .join(' + ');
  }

  #value(part: Variable): string {
    if ('local' in part) return part.local;
    if ('environment' in part) return `System.getenv("${part.environment}")`;
    if (part.computed === 'code_challenge') return 'codeChallenge';
    this.#use('java.util.UUID');
    return 'UUID.randomUUID().toString()';
  }

  #use(name: string): void {
    this.#imports.add(name);
  }
}

function quoted(text: string): string {
  return ascii(JSON.stringify(text));
}

/** Java 17 reads source files in the encoding of the system, so that other characters are escaped. */
function ascii(text: string): string {
  return text.replaceAll(/[^\n -~]/g, (unit) => unit.replaceAll(/[\s\S]/g, escapeUnit));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
