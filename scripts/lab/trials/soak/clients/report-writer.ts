import { setTimeout as wait } from 'node:timers/promises';
import { type HttpRequest, type HttpResponse, jsonOf } from '../../../kit/http/client.js';
import { get, remove, sendJson } from '../../../kit/http/requests.js';
import { ApplicationClient } from './application-client.js';

export interface ReportResource {
  readonly id: string;
  readonly attributes: { readonly title: string };
}

/** The known state of a report. */
interface KnownReport {
  readonly title: string;
  readonly etag: string | undefined;
  /** Another possible title, after an update with an unknown outcome. */
  readonly otherTitle?: string;
}

const maximumReports = 40;

/** The only writer of the reports of an account. */
export class ReportWriter extends ApplicationClient {
  /** Every report whose creation was acknowledged, by id. */
  readonly reports = new Map<string, KnownReport>();
  /** Titles of reports that may exist. */
  readonly unresolved = new Set<string>();
  acknowledged = 0;
  #serial = 0;

  protected async step(): Promise<void> {
    const id = this.random.pick([...this.reports.keys()]);
    if (id === undefined) return this.#create();
    const create = this.reports.size < maximumReports ? 4 : 0;
    switch (this.random.weighted({ create, update: 4, remove: 2, read: 4, run: 2, csv: 1, list: 2 })) {
      case 'create':
        return this.#create();
      case 'update':
        return this.#update(id);
      case 'remove':
        return this.#remove(id);
      case 'read':
        return this.#read(id);
      case 'run':
        return this.#run(id);
      case 'csv':
        return this.#export(id);
      default:
        return this.#list();
    }
  }

  /** Differences between the list of the reports of the account and the known state. */
  *differences(data: readonly ReportResource[]): Generator<string> {
    const seen = new Map(data.map(({ id, attributes: { title } }) => [id, title]));
    for (const [id, { title, otherTitle }] of this.reports) {
      const found = seen.get(id);
      if (found !== title && (found === undefined || found !== otherTitle)) {
        yield `report ${id} is ${found} where ${title} was acknowledged`;
      }
    }
    const others = [...seen].filter(([id]) => !this.reports.has(id)).map(([, title]) => title);
    if (new Set(others).size < others.length) yield `reports were created twice: ${others}`;
    for (const title of others) {
      if (!this.unresolved.has(title)) yield `report ${title} exists and should not`;
    }
  }

  async #create(): Promise<void> {
    const token = await this.token();
    const title = this.#newTitle();
    const body = { title, columns: ['employee_number', 'email'] };
    const request = sendJson('POST', '/v1/reports', token, body, { 'idempotency-key': `key ${title}` });
    let isRetry = false;
    this.unresolved.add(title);
    for (;;) {
      const response = await this.attempt(request);
      if (response?.status === 201) {
        this.#keep(title, response);
        if (this.random.chance(0.2)) await this.#repeat(request, response);
        return;
      }
      // The request that has no response may still be in progress.
      if (response !== undefined && !(isRetry && response.status === 409)) {
        this.fail('a report was not created', request, response);
      }
      if (this.stopped()) return;
      isRetry = true;
      await wait(response === undefined ? 100 : 500);
    }
  }

  #keep(title: string, response: HttpResponse): void {
    const { id, attributes }: ReportResource = jsonOf(response).data;
    this.compare('a report was created with another title', attributes.title, title);
    if (this.reports.has(id)) this.verdict.violation('two reports with one id', id);
    this.reports.set(id, { title, etag: response.headers.etag });
    this.unresolved.delete(title);
    this.acknowledged += 1;
  }

  async #repeat(request: HttpRequest, first: HttpResponse): Promise<void> {
    const again = await this.expect(201, request, 'a repeated request has another status');
    if (!again.body.equals(first.body)) this.verdict.violation('a repeated request has another response');
  }

  async #update(id: string): Promise<void> {
    const token = await this.token();
    const { title: before, etag = '' } = this.reports.get(id) as KnownReport;
    const title = this.#newTitle();
    const request = sendJson('PATCH', `/v1/reports/${id}`, token, { title }, { 'if-match': etag });
    const response = await this.attempt(request);
    if (response?.status === 200) {
      this.reports.set(id, { title, etag: response.headers.etag });
      this.acknowledged += 1;
      return;
    }
    if (response !== undefined) this.fail('a report was not changed', request, response);
    await this.settle();
    const read = await this.retry(get(`/v1/reports/${id}`, token));
    if (read === undefined) {
      this.reports.set(id, { title, etag: undefined, otherTitle: before });
      return;
    }
    const now = read.status === 200 ? jsonOf(read).data.attributes.title : undefined;
    if (now !== before && now !== title) this.fail('an acknowledged report is lost', request, read);
    this.reports.set(id, { title: now, etag: read.headers.etag });
  }

  async #remove(id: string): Promise<void> {
    const { title } = this.reports.get(id) as KnownReport;
    this.reports.delete(id);
    const request = remove(`/v1/reports/${id}`, await this.token());
    const response = await this.attempt(request);
    if (response?.status === 204) return;
    if (response !== undefined) this.fail('a report was not deleted', request, response);
    this.unresolved.add(title);
    const again = await this.retry(request);
    if (again === undefined) return;
    if (again.status !== 204 && again.status !== 404) this.fail('a report was not deleted', request, again);
    this.unresolved.delete(title);
  }

  async #read(id: string): Promise<void> {
    const request = get(`/v1/reports/${id}`, await this.token());
    const response = await this.expect(200, request, 'an acknowledged report is lost');
    const { title, etag } = this.reports.get(id) as KnownReport;
    const { attributes }: ReportResource = jsonOf(response).data;
    this.compare(
      'a report differs from what was acknowledged',
      [attributes.title, response.headers.etag],
      [title, etag],
    );
  }

  async #run(id: string): Promise<void> {
    const request = get(`/v1/reports/${id}/results?page[size]=20&page[number]=2`, await this.token());
    const { data, meta } = jsonOf(await this.expect(200, request, 'a report was not run'));
    this.compare(
      'a report with a wrong result',
      [data.map((row: { id: string }) => row.id), meta.record_count],
      [this.employees.slice(20, 40).map((employee) => employee.id), this.employees.length],
    );
  }

  async #export(id: string): Promise<void> {
    const request = get(`/v1/reports/${id}/results.csv`, await this.token());
    const response = await this.expect(200, request, 'a report was not exported');
    this.compare(
      'a wrong CSV export',
      response.body.toString('utf8').split('\n').slice(1, -1),
      this.employees.map(({ attributes }) => `${attributes.employee_number},${attributes.email}`),
    );
  }

  async #list(): Promise<void> {
    const request = get('/v1/reports?page[size]=100', await this.token());
    const { data } = jsonOf(await this.expect(200, request, 'a list of reports was not returned'));
    for (const difference of this.differences(data)) {
      this.verdict.violation('a wrong list of reports', difference);
    }
  }

  #newTitle(): string {
    this.#serial += 1;
    return `${this.account.accountId} ${this.#serial}`;
  }
}
