import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds between two requests at the end of the feed. */
const pollMs = 2_000;

/** Milliseconds in which a receiver must respond, as for webhooks of the server. */
const timeoutMs = 15_000;

/** Milliseconds before the first and the longest wait after a failure. Webhooks of the server wait longer. */
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Events of a delivery, as for webhooks of the server. */
const pageSize = 100;

/** A request that the API rejects, and that would be rejected again. */
export class RejectedError extends Error {
  name = 'RejectedError';

  /** @param status of the response */
  constructor(status, detail) {
    super(`${status} ${detail}`.trim());
    this.status = status;
  }
}

/** A new secret of Standard Webhooks. */
export function createSecret() {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * The headers with which the server signs a webhook.
 *
 * @param secret `whsec_` and base64
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function signedHeaders(secret, { id, body, at }) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'People-API-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/**
 * Reads the feed of events, and sends each page to a receiver, until the end of the feed or until it is aborted. A page that the
 * receiver does not accept with 2xx is sent again with the same `webhook-id`.
 *
 * @param options.start `after`: a cursor, or `since`: a time
 * @param options.follow whether to wait for further events at the end of the feed
 * @param options.types types of events; empty: all
 * @param options.onCursor stores the cursor, after each page
 * @param options.report prints a line
 * @throws {RejectedError} when the API rejects the token, the start or the types
 */
export async function forward(options) {
  const { start, follow, signal, onCursor, report } = options;
  let { after } = start;
  let failures = 0;
  while (!signal.aborted) {
    const page = await readPage(
      options,
      after === undefined ? { 'filter[since]': start.since } : { 'page[after]': after },
    );
    if (signal.aborted) return;
    if (page.retryMs !== undefined) {
      failures += 1;
      const retryMs = Math.max(page.retryMs, backoff(failures));
      report(`The API did not respond with events: ${page.reason}. Next attempt in ${retryMs / 1000} s.`);
      await pause(retryMs, signal);
      continue;
    }
    failures = 0;
    if (page.data.length > 0) await deliver(options, page);
    if (signal.aborted) return;
    if (page.meta.next_cursor !== after) {
      after = page.meta.next_cursor;
      await onCursor(after);
    }
    if (page.meta.has_more) continue;
    if (!follow) return;
    await pause(pollMs, signal);
  }
}

/** A page of the feed as parsed JSON with its text, or after a failure that may be temporary, its reason and the time to wait. */
async function readPage({ baseUrl, token, types, signal }, position) {
  const query = new URLSearchParams({ ...position, 'page[size]': String(pageSize) });
  if (types.length > 0) query.set('filter[type]', types.join());
  const request = { headers: { authorization: `Bearer ${token}` }, redirect: 'manual', signal };
  try {
    const response = await fetch(`${baseUrl}/v1/events?${query}`, request);
    const text = await response.text();
    if (response.ok) return { ...JSON.parse(text), text };
    const reason = `${response.status} ${detailOf(text)}`;
    if (response.status === 429 || response.status >= 500) {
      return { reason, retryMs: 1000 * (Number(response.headers.get('retry-after')) || 0) };
    }
    throw new RejectedError(response.status, detailOf(text));
  } catch (error) {
    if (error instanceof RejectedError) throw error;
    return { reason: describe(error), retryMs: 0 };
  }
}

/** The detail of a problem document. */
function detailOf(text) {
  try {
    return printable(String(JSON.parse(text).detail));
  } catch {
    return '';
  }
}

/** Sends a page until the receiver accepts it. */
async function deliver({ forwardTo, secret, signal, report }, { data, text }) {
  const id = `msg_${randomBytes(12).toString('base64url')}`;
  const events = data.map(({ id, type }) => `${type} ${id}`).join(', ');
  for (let failures = 0; !signal.aborted; ) {
    const started = performance.now();
    const outcome = await send(forwardTo, { secret, id, body: text, signal });
    if (signal.aborted) return;
    const attempt = `${new Date().toISOString()} ${outcome.result} in ${Math.round(performance.now() - started)} ms`;
    report(`${attempt}: ${printable(events)}`);
    if (outcome.accepted) return;
    failures += 1;
    const retryMs = Math.max(outcome.retryMs ?? 0, backoff(failures));
    report(`Not accepted. The same events are sent again in ${retryMs / 1000} s.`);
    await pause(retryMs, signal);
  }
}

/** One attempt. Redirects are not followed. */
async function send(forwardTo, { secret, id, body, signal }) {
  try {
    const response = await fetch(forwardTo, {
      method: 'POST',
      headers: signedHeaders(secret, { id, body, at: new Date() }),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    const retryMs = 1000 * (Number(response.headers.get('retry-after')) || 0);
    return { accepted: response.ok, result: String(response.status), retryMs };
  } catch (error) {
    return { accepted: false, result: describe(error) };
  }
}

function backoff(failures) {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1));
}

function describe(error) {
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`;
  return printable(String(error.cause?.code ?? error.cause?.message ?? error.message));
}

/** Text that cannot change the terminal. */
function printable(text) {
  return text.replace(/\p{C}/gu, '?');
}

/** Waits, at most until the signal is aborted. */
async function pause(ms, signal) {
  await wait(ms, undefined, { signal }).catch(() => {});
}
