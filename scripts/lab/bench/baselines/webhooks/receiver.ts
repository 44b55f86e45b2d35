// Receives webhooks, and counts and checks them.
import http, { type IncomingMessage } from 'node:http';

export interface RecordedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The webhooks that were received so far. */
export interface ReceiverState {
  readonly deliveries: number;
  /** Deliveries that do not have the expected number of events. */
  readonly wrong: number;
  /** The first webhooks, only on request. */
  readonly recorded?: readonly RecordedWebhook[];
}

/** Number of webhooks that are recorded. */
const recordedCount = 100;

/** One in this many bodies is parsed. */
const checkedOneIn = 32;

/** Headers that the sender of recorded webhooks sets itself. */
const ofConnection = ['host', 'connection', 'content-length', 'transfer-encoding'];

let deliveries = 0;
let wrong = 0;
let expectedEvents: number | undefined;
let recorded: RecordedWebhook[] = [];

http
  .createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'POST') receive(request, chunks);
      response.end();
    });
  })
  .listen(Number(process.env.PORT));

process.on('message', (message: { reset?: number; isRecording?: boolean }) => {
  if (message.reset !== undefined) {
    [deliveries, wrong, recorded] = [0, 0, []];
    expectedEvents = message.reset;
  }
  const state: ReceiverState = { deliveries, wrong, ...(message.isRecording && { recorded }) };
  process.send?.(state);
});

function receive({ headers }: IncomingMessage, chunks: readonly Buffer[]): void {
  deliveries += 1;
  const isRecorded = recorded.length < recordedCount;
  if (!isRecorded && deliveries % checkedOneIn !== 0) return;
  const body = Buffer.concat(chunks).toString();
  if (JSON.parse(body).data.length !== expectedEvents) wrong += 1;
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.includes(name));
  if (isRecorded) recorded.push({ headers: Object.fromEntries(kept) as Record<string, string>, body });
}
