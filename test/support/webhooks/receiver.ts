import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Test } from '../tap.js';

/** A delivery that a receiver got. */
export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly data: readonly {
      readonly id: string;
      readonly type: string;
      readonly resource: { readonly id: string; readonly attributes: Record<string, unknown> | null };
    }[];
    readonly meta: { readonly has_more: boolean; readonly next_cursor: string };
    readonly links: { readonly next: string };
  };
}

export type Answer = (response: ServerResponse, delivery: Received) => void;

export const answers = {
  ok: (response: ServerResponse) => response.end('thanks'),
  status:
    (status: number, headers: Record<string, string> = {}, text = '') =>
    (response: ServerResponse) =>
      response.writeHead(status, headers).end(text),
  reset: (response: ServerResponse) => response.destroy(),
};

/** Delays the response to the next delivery. Resolves, when the delivery arrives, to a function that sends the status. */
export function holdResponse(receiver: { answer: Answer }, status = 500): Promise<() => void> {
  return new Promise((resolve) => {
    receiver.answer = (response) => resolve(() => response.writeHead(status).end());
  });
}

/** A server on this machine that receives webhooks. `answer` can be replaced. */
export async function startReceiver(t: Test) {
  const received: Received[] = [];
  const receiver = { received, url: '', answer: answers.ok as Answer };
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const delivery = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        text,
        body: JSON.parse(text),
      };
      received.push(delivery);
      receiver.answer(response, delivery);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://localhost:${(server.address() as AddressInfo).port}/events`;
  return receiver;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Verifies a delivery with the reference library of Standard Webhooks, which takes the current time. */
export function verify(secret: string, { text, headers }: Pick<Received, 'text' | 'headers'>): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}

/** The ids of all events that a receiver got, in their order. */
export const eventIds = ({ received }: Pick<Receiver, 'received'>) =>
  received.flatMap(({ body }) => body.data.map(({ id }) => id));
