import type { components } from '../../../src/platform/contract/generated.js';
import type { TestApp } from '../server/app.js';

export type ChangeList = components['schemas']['EmployeeChangeList'];
export type Change = components['schemas']['EmployeeChange'];

export const changesPath = (id: string | undefined) => `/v1/employees/${id}/changes`;

/** A change as a test compares it: its kind, its source and its values as `name: from → to`. */
export function summaryOf({ attributes }: Change) {
  const values = attributes.changes.map(
    ({ attribute, from, to }) => `${attribute}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  );
  return [attributes.kind, attributes.source, ...values];
}

/** Reads changes of employees of an application. */
export function changeReader(api: Pick<TestApp, 'get'>, token: string) {
  /** Reads one page. */
  async function page(id: string | undefined, query = ''): Promise<ChangeList> {
    const response = await api.get(`${changesPath(id)}${query}`, token);
    if (response.statusCode !== 200) throw new Error(response.body);
    return response.json();
  }
  return {
    page,
    /** Reads all pages, by the cursor or by the link. */
    async all(
      id: string | undefined,
      { size = 500, byLink = true } = {},
    ): Promise<{ changes: Change[]; pages: number; text: string }> {
      const changes: Change[] = [];
      let text = '';
      let pages = 0;
      for (let query: string | null = `?page[size]=${size}`; query !== null; pages += 1) {
        if (pages > 500) throw new Error('The pages do not end');
        const { data, meta, links }: ChangeList = await page(id, query);
        changes.push(...data);
        text += JSON.stringify({ data, meta, links });
        const next: string | null = byLink ? links.next : meta.next_cursor;
        query = next === null ? null : byLink ? next.slice(next.indexOf('?')) : `?page[after]=${next}`;
      }
      return { changes, pages, text };
    },
  };
}
