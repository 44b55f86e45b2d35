import type { LightMyRequestResponse } from 'fastify';
import { type Browser, hiddenFields } from './browser.js';

export const reportsPath = '/people/reports';

/** Fills in the form for a new report and sends it. */
export async function createReport(
  browser: Browser,
  fields: Record<string, string>,
): Promise<LightMyRequestResponse> {
  const page = await browser.open(`${reportsPath}/new`);
  const { csrf_token = '', form = '' } = hiddenFields(page.body);
  return browser.submit(reportsPath, {
    csrf_token,
    form,
    kind: 'list',
    title: 'A report',
    ...fields,
  });
}

/** The fields of the first filter of a report. */
export const filterFields = (field: string, operator: string, value: string) => ({
  filter_1_field: field,
  filter_1_operator: operator,
  filter_1_value: value,
});

/** The id of the report to which a response redirects. */
export function createdId({ headers, body }: LightMyRequestResponse): string {
  const id = /^\/people\/reports\/([a-z0-9]+)\?/.exec(String(headers.location))?.[1];
  if (id === undefined) throw new Error(`No report was created: ${body}`);
  return id;
}

/** Texts of the error summary of a page. */
export function shownErrors({ body }: LightMyRequestResponse): string[] {
  const summary = /<div class="error-summary".*?<\/div>/s.exec(body)?.[0] ?? '';
  return [...summary.matchAll(/<a href="#([^"]*)">(.*?)<\/a>/g)].map(
    ([, field, text]) => `${field}: ${text}`,
  );
}

/** The cells of each row of the first table after this text. */
export function tableRows(html: string, after: string): string[][] {
  const table = html.slice(html.indexOf(after));
  const body = table.slice(table.indexOf('<tbody'), table.indexOf('</tbody>'));
  return [...body.matchAll(/<tr .*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<td [^>]*><div>(.*?)<\/div>/gs)].map(([, cell = '']) =>
      cell.replaceAll(/<[^>]*>/g, ''),
    ),
  );
}
