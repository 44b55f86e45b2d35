import type { LightMyRequestResponse } from 'fastify';
import type { TestApp } from '../server/app.js';
import { type Browser, hiddenFields } from './browser.js';

export const importPath = '/people/employees/import';

/** A number on the page of an import. */
export function factOn({ body }: Pick<LightMyRequestResponse, 'body'>, name: string): string | undefined {
  return body.split(`<dt>${name}</dt><dd>`)[1]?.split('<')[0];
}

/** The state on the page of an import. */
export function stateOn({ body }: Pick<LightMyRequestResponse, 'body'>): string | undefined {
  return /<dt>State<\/dt><dd><span class="badge[^"]*">([^<]*)/.exec(body)?.[1];
}

/** The attributes that the form for the columns suggests or shows. */
export function chosenOn({ body }: Pick<LightMyRequestResponse, 'body'>): Record<string, string> {
  const fields = [...body.matchAll(/<select id="(column_\d+)"[^>]*>(.*?)<\/select>/gs)];
  return Object.fromEntries(
    fields.map(([, name = '', options = '']) => [
      name,
      /<option (?:selected value="([^"]*)"|value="([^"]*)" selected)/.exec(options)?.slice(1).find(Boolean) ??
        '',
    ]),
  );
}

/** The ways to read the dates of columns: the suggested one of each field, and all that are offered. */
export function datesOn({ body }: Pick<LightMyRequestResponse, 'body'>) {
  const fields = [...body.matchAll(/<select id="(date_\d+)"[^>]*>(.*?)<\/select>/gs)];
  return fields.map(([, name = '', options = '']) => ({
    name,
    chosen:
      /<option (?:selected value="(\w*)"|value="(\w*)" selected)/.exec(options)?.slice(1).find(Boolean) ?? '',
    offered: [...options.matchAll(/>([^<]+)<\/option>/g)].map(([, text]) => text),
  }));
}

const tokens = new WeakMap<Browser, Record<string, string>>();

/** The CSRF token of a browser, which all forms of its session have. */
async function tokenOf(browser: Browser): Promise<Record<string, string>> {
  const token = tokens.get(browser) ?? hiddenFields((await browser.open(importPath)).body);
  tokens.set(browser, token);
  return token;
}

/** Uploads a file and returns the response. */
export async function uploadFile(
  browser: Browser,
  content: string | Uint8Array,
  { name = 'staff.csv', format = '' } = {},
): Promise<LightMyRequestResponse> {
  return await browser.upload(importPath, { ...(await tokenOf(browser)), format }, { name, content });
}

/** Uploads a file and returns the address of its import. */
export async function startUpload(
  browser: Browser,
  content: string | Uint8Array,
  options: { name?: string; format?: string } = {},
): Promise<string> {
  const response = await uploadFile(browser, content, options);
  const location = response.headers.location;
  if (response.statusCode !== 303 || location === undefined) throw new Error(response.body);
  return location;
}

/** Submits the form for the columns with its current values and some changes. */
export async function submitColumns(
  browser: Browser,
  address: string,
  changes: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const page = await browser.open(`${address}/columns`);
  const dates = Object.fromEntries(datesOn(page).map(({ name, chosen }) => [name, chosen]));
  const statuses = [...page.body.matchAll(/<select id="(status_\w+)"[^>]*>(.*?)<\/select>/gs)].map(
    ([, name = '', options = '']) =>
      [
        name,
        /<option (?:selected value="(\w*)"|value="(\w*)" selected)/.exec(options)?.slice(1).find(Boolean) ??
          'keep',
      ] as const,
  );
  const fields = {
    ...hiddenFields(page.body),
    ...chosenOn(page),
    ...dates,
    ...Object.fromEntries(statuses),
    ...changes,
  };
  return await browser.submit(`${address}/columns`, fields);
}

/** Checks the file with the suggested columns, and returns the page with the result. */
export async function check(api: TestApp, browser: Browser, address: string, changes = {}) {
  await submitColumns(browser, address, changes);
  await api.uploadWorker.idle();
  return await browser.open(address);
}

/** Presses a button of the page of an import. */
export async function press(browser: Browser, address: string, step: 'start' | 'cancel') {
  return await browser.submit(`${address}/${step}`, await tokenOf(browser));
}

/** Imports the checked file, and returns the page with the result. */
export async function runImport(api: TestApp, browser: Browser, address: string) {
  await press(browser, address, 'start');
  await api.uploadWorker.idle();
  return await browser.open(address);
}
