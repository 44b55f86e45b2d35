import { setTimeout as wait } from 'node:timers/promises';
import { get, remove, sendJson } from '../../client/requests.mjs';
import { differ } from './actor.mjs';
import { ApplicationActor } from './application-token.mjs';

const maximumReports = 40;

/** The only one in an account who writes reports: it knows which there are, and what they say. */
export class Reporter extends ApplicationActor {
  /** Title and entity tag by id, of every report that was acknowledged. */
  reports = new Map();
  /** Titles of reports of which nobody knows whether they were made. */
  unresolved = new Set();
  acknowledged = 0;
  #serial = 0;

  async step() {
    const room = this.reports.size < maximumReports;
    if (this.reports.size === 0) return this.#create();
    const act = this.random.weighted({
      create: room ? 4 : 0,
      update: 4,
      remove: 2,
      read: 4,
      run: 2,
      csv: 1,
      list: 2,
    });
    const id = this.random.pick([...this.reports.keys()]);
    switch (act) {
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
        return this.#table(id);
      default:
        return this.#list();
    }
  }

  async #create() {
    const token = await this.token();
    const title = this.#title();
    const key = `key ${title}`;
    const body = { title, columns: ['employee_number', 'email'] };
    const request = sendJson('POST', '/v1/reports', token, body, { 'idempotency-key': key });
    let doubtful = false;
    this.unresolved.add(title);
    for (;;) {
      const answer = await this.attempt(request);
      if (answer?.status === 201) {
        this.#keep(title, answer);
        if (this.random.chance(0.2)) await this.#repeat(request, answer);
        return;
      }
      if (answer !== undefined && !(doubtful && answer.status === 409)) {
        this.wrong('a report was not created', request, answer);
      }
      if (this.stopped()) return;
      doubtful = true;
      await wait(answer === undefined ? 100 : 500);
    }
  }

  #keep(title, answer) {
    const { data } = this.json(answer);
    if (data.attributes.title !== title) this.verdict.fault('a report was made with another title', title);
    if (this.reports.has(data.id)) this.verdict.fault('two reports with one id', data.id);
    this.reports.set(data.id, { title, etag: answer.headers.etag });
    this.unresolved.delete(title);
    this.acknowledged += 1;
  }

  async #repeat(request, first) {
    const again = await this.expect(201, request, 'a repetition was not answered like the first request');
    if (!again.body.equals(first.body)) this.verdict.fault('a repetition was answered with something else');
  }

  async #update(id) {
    const token = await this.token();
    const { title: before, etag } = this.reports.get(id);
    const title = this.#title();
    const request = sendJson('PATCH', `/v1/reports/${id}`, token, { title }, { 'if-match': etag });
    const answer = await this.attempt(request);
    if (answer?.status === 200) {
      this.reports.set(id, { title, etag: answer.headers.etag });
      this.acknowledged += 1;
      return;
    }
    if (answer !== undefined) this.wrong('a report was not changed', request, answer);
    await this.settle();
    const read = await this.insist(get(`/v1/reports/${id}`, token));
    if (read === undefined) return this.reports.set(id, { title, etag: undefined, or: before });
    const now = read.status === 200 ? this.json(read).data.attributes.title : undefined;
    if (now !== before && now !== title) this.wrong('an acknowledged report is lost', request, read);
    this.reports.set(id, { title: now, etag: read.headers.etag });
  }

  async #remove(id) {
    const { title } = this.reports.get(id);
    this.reports.delete(id);
    const request = remove(`/v1/reports/${id}`, await this.token());
    const answer = await this.attempt(request);
    if (answer?.status === 204) return;
    if (answer !== undefined) this.wrong('a report was not deleted', request, answer);
    this.unresolved.add(title);
    const again = await this.insist(request);
    if (again === undefined) return;
    if (again.status !== 204 && again.status !== 404) this.wrong('a report was not deleted', request, again);
    this.unresolved.delete(title);
  }

  async #read(id) {
    const request = get(`/v1/reports/${id}`, await this.token());
    const answer = await this.expect(200, request, 'an acknowledged report is lost');
    const fault = differ(
      [this.json(answer).data.attributes.title, answer.headers.etag],
      [this.reports.get(id).title, this.reports.get(id).etag],
    );
    if (fault !== undefined) this.verdict.fault('a report does not say what was acknowledged', fault);
  }

  async #run(id) {
    const request = get(`/v1/reports/${id}/results?page[size]=20&page[number]=2`, await this.token());
    const { data, meta } = this.json(await this.expect(200, request, 'a report was not run'));
    const right = this.people.slice(20, 40).map(({ id: person }) => person);
    const fault =
      differ(
        data.map((row) => row.id),
        right,
      ) ?? differ(meta.record_count, this.people.length);
    if (fault !== undefined) this.verdict.fault('a report with a wrong result', fault);
  }

  async #table(id) {
    const request = get(`/v1/reports/${id}/results.csv`, await this.token());
    const answer = await this.expect(200, request, 'a report was not exported');
    const rows = answer.body.toString('utf8').split('\n').slice(1, -1);
    const right = this.people.map(
      ({ attributes: { employee_number, email } }) => `${employee_number},${email}`,
    );
    const fault = differ(rows, right);
    if (fault !== undefined) this.verdict.fault('a wrong table', fault);
  }

  async #list() {
    const request = get('/v1/reports?page[size]=100', await this.token());
    const { data } = this.json(await this.expect(200, request, 'a list of reports was refused'));
    for (const fault of this.compare(data)) this.verdict.fault('a wrong list of reports', fault);
  }

  /** What is untrue of a complete list of the account's reports. */
  *compare(data) {
    const seen = new Map(data.map(({ id, attributes: { title } }) => [id, title]));
    for (const [id, { title, or }] of this.reports) {
      if (seen.get(id) !== title && (or === undefined || seen.get(id) !== or)) {
        yield `report ${id} is ${seen.get(id)} where ${title} was acknowledged`;
      }
    }
    const spare = [...seen].filter(([id]) => !this.reports.has(id)).map(([, title]) => title);
    if (new Set(spare).size < spare.length) yield `reports were made twice: ${spare}`;
    for (const title of spare) {
      if (!this.unresolved.has(title)) yield `report ${title} is there and should not be`;
    }
  }

  #title() {
    this.#serial += 1;
    return `${this.account.accountId} ${this.#serial}`;
  }
}
