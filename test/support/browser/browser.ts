import type { FastifyInstance, LightMyRequestResponse } from 'fastify';

/** A browser without scripts: it keeps cookies, requests pages and submits their forms. */
export class Browser {
  readonly #app: FastifyInstance;
  readonly #cookies = new Map<string, string>();
  /** Value of `Accept-Language`. */
  languages = '';

  constructor(app: FastifyInstance) {
    this.#app = app;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  open(url: string): Promise<LightMyRequestResponse> {
    return this.#send('GET', url);
  }

  submit(url: string, form: Record<string, string> | string[][]): Promise<LightMyRequestResponse> {
    return this.#send('POST', url, new URLSearchParams(form).toString());
  }

  /** Submits the first form of a page with this action, with its hidden fields and the given ones. */
  submitForm(page: LightMyRequestResponse, action: string, fields: Record<string, string>) {
    const written = `action="${action.replaceAll('&', '&amp;')}"`;
    const forms = page.body.match(/<form .*?<\/form>/gs) ?? [];
    const form = forms.find((html) => html.slice(0, html.indexOf('>')).includes(written)) ?? page.body;
    return this.submit(action, { ...hiddenFields(form), ...fields });
  }

  /** Submits a form with a file, as multipart/form-data. The fields are before the file. */
  upload(url: string, fields: Record<string, string>, file?: UploadedBytes): Promise<LightMyRequestResponse> {
    const { body, contentType } = multipart(fields, file);
    return this.#send('POST', url, body, contentType);
  }

  /** Signs in through the page and returns the response to the form. */
  async signIn(email: string, password: string, returnTo?: string): Promise<LightMyRequestResponse> {
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
    const page = await this.open(`/sign_in${query}`);
    return this.submitForm(page, '/sign_in', { email, password });
  }

  async #send(
    method: 'GET' | 'POST',
    url: string,
    payload?: string | Buffer,
    contentType = 'application/x-www-form-urlencoded',
  ): Promise<LightMyRequestResponse> {
    const response = await this.#app.inject({
      method,
      url,
      headers: {
        accept: 'text/html,application/xhtml+xml',
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(this.languages === '' ? {} : { 'accept-language': this.languages }),
        ...(payload === undefined ? {} : { 'content-type': contentType }),
      },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const { name, value, maxAge, expires } of response.cookies) {
      const gone = maxAge === 0 || (expires !== undefined && expires.getTime() <= 0);
      if (gone) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}

/** A file that a user selects. */
export interface UploadedBytes {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** A form with a file, as browsers send it. */
export function multipart(
  fields: Record<string, string>,
  file?: UploadedBytes,
): { body: Buffer; contentType: string } {
  const boundary = '----formboundary7MA4YWxkTrZu0gW';
  const parts = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  );
  if (file !== undefined) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\n`;
    parts.push(Buffer.from(`${head}Content-Type: text/csv\r\n\r\n`), Buffer.from(file.content));
    parts.push(Buffer.from('\r\n'));
  }
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

/** Names and values of the hidden fields of a page. */
export function hiddenFields(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [input] of html.matchAll(/<input type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (name !== undefined) fields[name] = decodeAttribute(value);
  }
  return fields;
}

function decodeAttribute(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
