// The cost of HTTP requests alone: sends recorded webhooks with undici, with limited concurrency.
import http from 'node:http';
import { Agent, request } from 'undici';
import type { RecordedWebhook } from './receiver.js';

/** The webhooks to send until the next message. */
export interface SendCommand {
  readonly url: string;
  readonly inFlight: number;
  readonly recorded: readonly RecordedWebhook[];
}

const dispatcher = new Agent();
let current: SendCommand | undefined;
let sending: Promise<unknown> = Promise.resolve();

// Only for the check that the process has started.
http.createServer((_request, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1');

process.on('message', async (command: SendCommand | { stop: true }) => {
  current = 'stop' in command ? undefined : command;
  await sending;
  if (current !== undefined) sending = start(current);
  process.send?.({});
});

function start(command: SendCommand): Promise<unknown> {
  const webhooks = command.recorded.map(({ headers, body }) => ({ headers, body: Buffer.from(body) }));
  return Promise.all(Array.from({ length: command.inFlight }, () => sendAll(command, webhooks)));
}

async function sendAll(
  command: SendCommand,
  webhooks: readonly { headers: Readonly<Record<string, string>>; body: Buffer }[],
): Promise<void> {
  const url = new URL(command.url);
  for (let index = 0; current === command; index += 1) {
    const { headers, body } = webhooks[index % webhooks.length];
    const response = await request(url, { method: 'POST', dispatcher, headers, body });
    await response.body.text();
    if (response.statusCode !== 200) throw new Error(`The receiver returned ${response.statusCode}`);
  }
}
