import { indent, json } from '../layout.js';
import {
  computes,
  type Field,
  headersOf,
  joined,
  type SampleBody,
  type SampleRequest,
  type Text,
  type Variable,
} from '../request.js';

/** Ends the program if a call failed. */
const check = `if err != nil {
	log.Fatal(err)
}
`;

/** Ends the program with the detail of the problem. */
const rejection = `if response.StatusCode >= 400 {
	var problem struct{ Detail string }
	json.NewDecoder(response.Body).Decode(&problem)
	log.Fatal(problem.Detail)
}
`;

/** The verifier of PKCE and its challenge. */
const challenge = `// Keep the verifier: the token request needs it.
secret := make([]byte, 32)
if _, err := rand.Read(secret); err != nil {
	log.Fatal(err)
}
codeVerifier := base64.RawURLEncoding.EncodeToString(secret)
digest := sha256.Sum256([]byte(codeVerifier))
codeChallenge := base64.RawURLEncoding.EncodeToString(digest[:])
`;

/** A unique value. */
const random = {
  source: `random := make([]byte, 16)
if _, err := rand.Read(random); err != nil {
	log.Fatal(err)
}
`,
  imports: ['crypto/rand', 'log'],
};

/** A page of a list. */
const pageType = `var page struct {
	Data  []json.RawMessage
	Links struct{ Next string }
}
`;

/** A page of a feed. */
const feedPageType = `var page struct {
	Data  []json.RawMessage
	Links struct{ Next string }
	Meta  struct {
		HasMore bool \`json:"has_more"\`
	}
}
`;

/** Prints the records of a page. */
const printPage = `for _, record := range page.Data {
	fmt.Println(string(record))
}
`;

/** Prints the body, and detects an interruption. */
const printBody = `if _, err := io.Copy(os.Stdout, response.Body); err != nil {
	log.Fatal(err)
}
`;

const computed = { unique: 'hex.EncodeToString(random)', code_challenge: 'codeChallenge' } as const;

/** Writes a request as a program in a single file. */
export function go(request: SampleRequest): string {
  return new GoProgram(request).source();
}

class GoProgram {
  readonly #request: SampleRequest;
  readonly #imports = new Set<string>();

  constructor(request: SampleRequest) {
    this.#request = request;
  }

  source(): string {
    const statements = this.#statements();
    const packages = [...this.#imports].sort().map((name) => `\t"${name}"\n`);
    return `package main\n\nimport (\n${packages.join('')})\n\nfunc main() {\n${indent(statements, '\t')}}\n`;
  }

  #statements(): string {
    const { query, result } = this.#request;
    const prelude = [
      ...(computes(this.#request, 'code_challenge')
        ? [this.#with(challenge, ...random.imports, 'crypto/sha256', 'encoding/base64')]
        : []),
      ...(computes(this.#request, 'unique')
        ? [this.#with(random.source, ...random.imports, 'encoding/hex')]
        : []),
      ...(query.length === 0 ? [] : [this.#values('query', query)]),
    ].join('');
    const encoded = query.length === 0 ? [] : ['?', { local: 'query.Encode()' }];
    const url = this.#text([...this.#request.url, ...encoded]);
    if (result.kind === 'url') return `${prelude}${this.#with(`fmt.Println(${url})\n`, 'fmt')}`;
    if (result.kind === 'records' && result.pages !== null) {
      return `${prelude}address := ${url}\n${this.#pages(result.pages === 'feed')}`;
    }
    // A plain literal needs no variable.
    if (/^"[^"]*"$/.test(url)) return `${prelude}${this.#exchange(url)}`;
    return `${prelude}address := ${url}\n${this.#exchange('address')}`;
  }

  #pages(isFeed: boolean): string {
    const steps = [
      this.#send('address'),
      this.#with(rejection, 'encoding/json', 'log'),
      isFeed ? feedPageType : pageType,
      'err = json.NewDecoder(response.Body).Decode(&page)\nresponse.Body.Close()\n',
      check,
      this.#with(printPage, 'fmt'),
      isFeed ? 'if !page.Meta.HasMore {\n\tbreak\n}\n' : '',
      'address = page.Links.Next\n',
    ];
    return `for ${isFeed ? '' : 'address != "" '}{\n${indent(steps.join(''), '\t')}}\n`;
  }

  #exchange(url: string): string {
    const isStatus = this.#request.result.kind === 'status';
    return [
      this.#send(url),
      'defer response.Body.Close()\n',
      this.#with(rejection, 'encoding/json', 'log'),
      isStatus
        ? this.#with('fmt.Println(response.Status)\n', 'fmt')
        : this.#with(printBody, 'io', 'log', 'os'),
    ].join('');
  }

  /** Sends the request, in the short form if it has no headers. */
  #send(url: string): string {
    const { method, headers, body } = this.#request;
    const checked = this.#with(check, 'log', 'net/http');
    if (headers.length === 0 && body?.kind === 'form') {
      return `${this.#values('form', body.fields)}response, err := http.PostForm(${url}, form)\n${checked}`;
    }
    if (headers.length === 0 && body === null && method === 'GET') {
      return `response, err := http.Get(${url})\n${checked}`;
    }
    const set = headersOf(this.#request).map(
      ([name, value]) => `request.Header.Set("${name}", ${this.#text(value, '+')})\n`,
    );
    return [
      this.#body(body),
      `request, err := http.NewRequest("${method}", ${url}, ${body === null ? 'nil' : 'body'})\n`,
      check,
      ...set,
      'response, err := http.DefaultClient.Do(request)\n',
      checked,
    ].join('');
  }

  #body(body: SampleBody | null): string {
    if (body === null) return '';
    if (body.kind === 'form') {
      const form = this.#values('form', body.fields);
      return `${form}${this.#with('body := strings.NewReader(form.Encode())\n', 'strings')}`;
    }
    // A raw string has no escapes, and ends at a backquote.
    const lines = json(body.value, '\t').replaceAll('`', '`+"`"+`');
    return this.#with(`body := strings.NewReader(\`${lines}\`)\n`, 'strings');
  }

  #values(variable: string, fields: readonly Field[]): string {
    const set = fields.map(
      ([name, value]) => `${variable}.Set(${JSON.stringify(name)}, ${this.#text(value, '+')})\n`,
    );
    return this.#with(`${variable} := url.Values{}\n${set.join('')}`, 'net/url');
  }

  #text(text: Text, plus: '+' | ' + ' = ' + '): string {
    return joined(text)
      .map((part) => (typeof part === 'string' ? JSON.stringify(part) : this.#value(part)))
      .join(plus);
  }

  #value(variable: Variable): string {
    if ('computed' in variable) return computed[variable.computed];
    if ('local' in variable) return variable.local;
    return this.#with(`os.Getenv("${variable.environment}")`, 'os');
  }

  /** Code with the packages that it needs. */
  #with(code: string, ...packages: readonly string[]): string {
    for (const name of packages) this.#imports.add(name);
    return code;
  }
}
