import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Verdict } from '../verdict.js';

/** Behavior of faulty endpoints. */
export const behaviours = ['slow', 'failing', 'resetting', 'redirecting'] as const;

export type Behaviour = 'healthy' | (typeof behaviours)[number];

/** Milliseconds that a response takes, so that processes are killed while they wait for it. */
const responseMs = 200;

/** The same for a slow endpoint. */
const slowMs = 3_000;

/** A delivery with a `webhook-id` that was received before. */
interface Repetition {
  readonly firstAt: number;
  readonly againAt: number;
}

/** The deliveries to an endpoint. */
export interface Receiver {
  readonly accountId: string;
  readonly behaviour: Behaviour;
  readonly url: string;
  secret: string;
  /** Of the last event. */
  position: number;
  lastAt: number;
  attempts: number;
  deliveries: number;
  events: number;
  /** The last delivery. */
  last: { readonly id: string; readonly at: number; readonly events: string };
  readonly repeated: Repetition[];
}

/** The endpoints: a server on this machine with a path for each. */
export class Receivers {
  readonly all: Receiver[] = [];
  /** Requests to the target of the redirects. */
  redirected = 0;
  readonly #verdict: Verdict;
  // The receiver does not close idle connections, so every failed attempt is caused by a fault of the trial.
  readonly #server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    this.#receive(request, response).catch((error) =>
      this.#verdict.violation('a webhook cannot be read or verified', error),
    );
  });

  static async open(verdict: Verdict): Promise<Receivers> {
    const receivers = new Receivers(verdict);
    await new Promise<void>((resolve) => receivers.#server.listen(0, '127.0.0.1', resolve));
    return receivers;
  }

  private constructor(verdict: Verdict) {
    this.#verdict = verdict;
  }

  add(accountId: string, behaviour: Behaviour): Receiver {
    const { port } = this.#server.address() as AddressInfo;
    const receiver: Receiver = {
      ...{ accountId, behaviour, secret: '', position: 0, lastAt: 0, attempts: 0, deliveries: 0, events: 0 },
      url: `http://localhost:${port}/${this.all.length}`,
      last: { id: '', at: 0, events: '' },
      repeated: [],
    };
    this.all.push(receiver);
    return receiver;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receiver = this.all[Number(request.url?.slice(1))];
    if (receiver === undefined) {
      this.redirected += 1;
      response.end();
      return;
    }
    const body = await readBody(request);
    // The process was killed while it sent the request.
    if (body === undefined) return;
    receiver.attempts += 1;
    const headers = request.headers as Record<string, string>;
    new Webhook(receiver.secret).verify(body, headers);
    this.#count(receiver, headers['webhook-id'], JSON.parse(body).data);
    await respond(receiver, response);
  }

  #count(receiver: Receiver, id: string, data: readonly { id: string }[]): void {
    const events = data.map((event) => event.id).join();
    const { last } = receiver;
    const at = Date.now();
    if (id === last.id) {
      receiver.repeated.push({ firstAt: last.at, againAt: at });
      if (events !== last.events)
        this.#verdict.violation('a repeated delivery has other events', `${last.events}\n${events}`);
      receiver.last = { ...last, at };
      return;
    }
    for (const event of data) {
      receiver.position += 1;
      const expected = `evt_${receiver.accountId}_${receiver.position.toString(36).padStart(8, '0')}`;
      if (event.id !== expected)
        this.#verdict.violation(
          'an event is missing, repeated or out of order',
          `${event.id}, not ${expected}`,
        );
    }
    receiver.deliveries += 1;
    receiver.events += data.length;
    receiver.last = { id, at, events };
    receiver.lastAt = at;
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function respond({ behaviour }: Receiver, response: ServerResponse): Promise<void> {
  await wait(behaviour === 'slow' ? slowMs : responseMs);
  if (behaviour === 'resetting') response.socket?.resetAndDestroy();
  else if (behaviour === 'failing') response.writeHead(500).end();
  else if (behaviour === 'redirecting') response.writeHead(307, { location: '/redirected' }).end();
  else response.end();
}
