import { enclosed, indent, type Literals, literal } from '../layout.js';
import { computes, type Field, headersOf, type SampleRequest, type Text, type Variable } from '../request.js';

/** Collects the imports of a Python script. */
class PythonImports {
  readonly #modules = new Set<string>();
  readonly #names = new Map<string, Set<string>>();

  addModule(module: string): void {
    this.#modules.add(module);
  }

  addName(module: string, name: string): void {
    this.#names.set(module, (this.#names.get(module) ?? new Set()).add(name));
  }

  /** The statements: modules first, each group in alphabetical order. */
  text(): string {
    const modules = [...this.#modules].sort().map((module) => `import ${module}\n`);
    const names = [...this.#names]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([module, names]) => `from ${module} import ${[...names].sort().join(', ')}\n`);
    return [...modules, ...names].join('');
  }
}

const computed = { unique: 'str(uuid.uuid4())', code_challenge: 'code_challenge' } as const;

const challenge = `# Keep the verifier: the token request needs it.
code_verifier = secrets.token_urlsafe(32)
digest = hashlib.sha256(code_verifier.encode()).digest()
code_challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
`;

const literals: Literals = {
  null: 'None',
  true: 'True',
  false: 'False',
  string: JSON.stringify,
  pair: (name, value) => `${JSON.stringify(name)}: ${value}`,
  array: { open: '[', close: ']', by: '    ' },
  object: { open: '{', close: '}', by: '    ' },
};

/** Writes a request as a script for Python 3. */
export function python(request: SampleRequest): string {
  return new PythonScript(request).source();
}

class PythonScript {
  readonly #request: SampleRequest;
  readonly #imports = new PythonImports();

  constructor(request: SampleRequest) {
    this.#request = request;
  }

  source(): string {
    const program = this.#program();
    return `${this.#imports.text()}\n${program}`;
  }

  #program(): string {
    const { query, result } = this.#request;
    const assigned = query.length === 0 ? '' : `query = ${this.#encoded(query)}\n`;
    const prelude = `${this.#challenge()}${assigned}`;
    const parts = [...this.#request.url, ...(query.length === 0 ? [] : ['?', { local: 'query' }])];
    const url = this.#text(parts);
    if (result.kind === 'url') return `${prelude}print(${url})\n`;
    if (result.kind !== 'records' || result.pages === null) return `${prelude}${this.#single(url)}`;
    const next = `page["links"]["next"]${result.pages === 'feed' ? ' if page["meta"]["has_more"] else None' : ''}`;
    const steps = `${this.#prepared('url')}${this.#opened('url')}${this.#print()}url = ${next}\n`;
    return `${prelude}url = ${url}\n${this.#guarded(`while url is not None:\n${indent(steps, '    ')}`)}`;
  }

  /** The code challenge, if the request has one. */
  #challenge(): string {
    if (!computes(this.#request, 'code_challenge')) return '';
    for (const module of ['hashlib', 'secrets']) this.#imports.addModule(module);
    this.#imports.addName('base64', 'urlsafe_b64encode');
    return challenge;
  }

  /** One request. Only the call that may raise the error is in the `try` block. */
  #single(url: string): string {
    return `${this.#prepared(url)}${this.#guarded(this.#opened(url))}${this.#print()}`;
  }

  /** Ends the program with the detail of the problem. */
  #guarded(steps: string): string {
    this.#imports.addModule('json');
    this.#imports.addModule('sys');
    this.#imports.addName('urllib.error', 'HTTPError');
    const rejection = 'except HTTPError as error:\n    sys.exit(json.load(error)["detail"])\n';
    return `try:\n${indent(steps, '    ')}${rejection}`;
  }

  /** The request object, which a request without options does not need. */
  #prepared(url: string): string {
    const options = this.#options();
    if (options.length === 0) return '';
    this.#imports.addName('urllib.request', 'Request');
    return `request = Request(\n${indent([url, ...options].map((one) => `${one},\n`).join(''), '    ')})\n`;
  }

  #opened(url: string): string {
    this.#imports.addName('urllib.request', 'urlopen');
    const opened = this.#options().length === 0 ? url : 'request';
    return `with urlopen(${opened}) as response:\n    ${this.#read()}\n`;
  }

  #options(): string[] {
    const { method, body } = this.#request;
    const headers = headersOf(this.#request, 'form');
    return [
      ...(method === 'GET' ? [] : [`method="${method}"`]),
      ...(headers.length === 0 ? [] : [`headers=${this.#fields(headers)}`]),
      ...(body?.kind === 'form' ? [`data=${this.#encoded(body.fields)}.encode()`] : []),
      ...(body?.kind === 'json' ? [`data=json.dumps(${literal(body.value, literals)}).encode()`] : []),
    ];
  }

  #read(): string {
    switch (this.#request.result.kind) {
      case 'members':
        return 'result = json.load(response)';
      case 'records':
        return 'page = json.load(response)';
      case 'text':
        this.#imports.addModule('shutil');
        return 'shutil.copyfileobj(response, sys.stdout.buffer)';
      default:
        return 'print(response.status)';
    }
  }

  #print(): string {
    const { result } = this.#request;
    if (result.kind === 'members') {
      return `print(${result.paths.map((path) => member('result', path)).join(', ')})\n`;
    }
    if (result.kind !== 'records') return '';
    const members = result.members.map((name) => member('record', [name]));
    return `for record in page["data"]:\n    print(${members.join(', ')})\n`;
  }

  #encoded(fields: readonly Field[]): string {
    this.#imports.addName('urllib.parse', 'urlencode');
    return `urlencode(${this.#fields(fields)})`;
  }

  #fields(fields: readonly Field[]): string {
    const pairs = fields.map(([name, value]) => literals.pair(name, this.#text(value)));
    return enclosed(pairs, literals.object);
  }

  #text(text: Text): string {
    const [only] = text;
    if (text.length === 1 && typeof only === 'object') return this.#value(only, '"');
    if (text.every((part) => typeof part === 'string')) return JSON.stringify(text.join(''));
    const parts = text.map((part) =>
      typeof part === 'string'
        ? JSON.stringify(part).slice(1, -1).replaceAll(/[{}]/g, '$&$&')
        : `{${this.#value(part, "'")}}`,
    );
    return `f"${parts.join('')}"`;
  }

  #value(variable: Variable, quote: string): string {
    if ('local' in variable) return variable.local;
    if ('environment' in variable) {
      this.#imports.addModule('os');
      return `os.environ[${quote}${variable.environment}${quote}]`;
    }
    if (variable.computed === 'unique') this.#imports.addModule('uuid');
    return computed[variable.computed];
  }
}

function member(name: string, path: readonly string[]): string {
  return `${name}${path.map((key) => `[${JSON.stringify(key)}]`).join('')}`;
}
