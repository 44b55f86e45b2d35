import {
  ConnectionFailure,
  type HttpRequest,
  type HttpResponse,
  jsonOf,
  type Send,
} from '../../kit/http/client.js';
import { get, remove, sendJson } from '../../kit/http/requests.js';
import type { Random } from '../../kit/random.js';
import { describeExchange } from '../accounts.js';
import type { Verdict } from '../verdict.js';

const allColumns = ['employee_number', 'first_name', 'last_name', 'email', 'status', 'department'];

/** Reports of a client at most. With those of other clients of its account they fit on one page. */
const maximumReports = 10;

/** Pairs of a write and a read, of all clients. */
export interface Pairs {
  done: number;
  /** CSV exports that started and did not complete. */
  interrupted: number;
  /** Whether clients end after their current pair. */
  stopped: boolean;
}

interface ReportResource {
  readonly id: string;
  readonly attributes: Report;
}

interface Report {
  readonly title: string;
  readonly columns: readonly string[];
}

interface Context {
  /** Functions that send to each of two processes. */
  readonly sends: readonly Send[];
  readonly token: string;
  readonly random: Random;
  readonly verdict: Verdict;
  readonly pairs: Pairs;
}

/** Repeatedly writes a report through one process, and immediately reads it through the other. */
export class PairClient {
  readonly #context: Context;
  /** Acknowledged titles, by id. */
  readonly #reports = new Map<string, Report>();
  /** Text in the titles of the reports of this client only. */
  readonly #mark: string;

  constructor(context: Context) {
    this.#context = context;
    this.#mark = context.random.text(12);
  }

  async run(): Promise<void> {
    const { pairs, random, sends, verdict } = this.#context;
    while (!pairs.stopped) {
      const [writer, reader] = random.some(sends, 2);
      try {
        const id = await this.#write(writer);
        if (id === undefined) continue;
        await this.#read(reader, id);
        pairs.done += 1;
      } catch (error) {
        verdict.violation('a request has no response', (error as Error).stack);
        // A process that exited would fail every request.
        pairs.stopped = true;
      }
    }
  }

  /** @returns the id of the written report; `undefined` if the write failed, which is a violation */
  async #write(send: Send): Promise<string | undefined> {
    const { random, token } = this.#context;
    const id = random.pick([...this.#reports.keys()]);
    const create = this.#reports.size < maximumReports ? 3 : 0;
    const kind = id === undefined ? 'create' : random.weighted({ create, update: 4, remove: 2 });
    if (kind === 'remove') {
      await this.#expect(send, remove(`/v1/reports/${id}`, token), 204);
      this.#reports.delete(id);
      return id;
    }
    const report = {
      title: `${this.#mark} ${random.text(12)}`,
      columns: random.some(allColumns, 1 + random.upTo(allColumns.length)),
    };
    const request =
      kind === 'create'
        ? sendJson('POST', '/v1/reports', token, report)
        : sendJson('PATCH', `/v1/reports/${id}`, token, report);
    const response = await this.#expect(send, request, kind === 'create' ? 201 : 200);
    if (response === undefined) return undefined;
    const written = jsonOf(response).data.id as string;
    this.#reports.set(written, report);
    return written;
  }

  /** Reads the written report, and checks that the read sees the write. */
  async #read(send: Send, id: string): Promise<void> {
    const { random } = this.#context;
    const report = this.#reports.get(id);
    const path = `/v1/reports/${id}`;
    switch (random.weighted({ get: 5, list: 3, results: 2, csv: 1 })) {
      case 'get':
        return this.#compare(send, path, report, (response) => {
          const { title, columns } = jsonOf(response).data.attributes;
          return { title, columns };
        });
      case 'results':
        return this.#compare(send, `${path}/results?page[size]=5`, report?.columns, (response) =>
          jsonOf(response).meta.columns.map(({ key }: { key: string }) => key),
        );
      case 'csv':
        return this.#compare(
          send,
          `${path}/results.csv`,
          report?.columns.join(),
          ({ body }) => body.toString('utf8').split('\n', 1)[0],
        );
      default: {
        const known = [...this.#reports].map(([id, { title }]) => `${id} ${title}`).sort();
        return this.#compare(send, '/v1/reports?page[size]=100', known, (response) =>
          jsonOf(response)
            .data.map(({ id, attributes }: ReportResource) => `${id} ${attributes.title}`)
            .filter((line: string) => line.includes(this.#mark))
            .sort(),
        );
      }
    }
  }

  /** @param expected value of the response; `undefined` for 404 */
  async #compare(
    send: Send,
    path: string,
    expected: unknown,
    toValue: (response: HttpResponse) => unknown,
  ): Promise<void> {
    const { token, verdict } = this.#context;
    const request = get(path, token);
    const response = await this.#sendAgain(send, request);
    const { status } = response;
    if (status !== 200 && status !== 404) {
      verdict.violation('a read with an unexpected status', describeExchange(request, response));
      return;
    }
    const actual = status === 404 ? undefined : JSON.stringify(toValue(response));
    const wanted = JSON.stringify(expected);
    if (actual !== wanted)
      verdict.violation('a stale read', `${describeExchange(request, response)}\nexpected: ${wanted}`);
  }

  /** A started CSV export fails with its standby: the connection is closed, and the client repeats it. */
  async #sendAgain(send: Send, request: HttpRequest): Promise<HttpResponse> {
    try {
      return await send(request);
    } catch (error) {
      if (!(error instanceof ConnectionFailure) || !request.path.endsWith('.csv')) throw error;
      this.#context.pairs.interrupted += 1;
      return send(request);
    }
  }

  async #expect(send: Send, request: HttpRequest, status: number): Promise<HttpResponse | undefined> {
    const response = await send(request);
    if (response.status === status) return response;
    this.#context.verdict.violation('a write with an unexpected status', describeExchange(request, response));
    return undefined;
  }
}
