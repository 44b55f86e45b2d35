// Forwards the events of an account to a server in development, as signed webhooks. `--help` describes it. The folder needs
// Node.js 20.19 or later and nothing else, so that it can be copied.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createSecret, forward, RejectedError } from './forward.mjs';

const help = `Usage: npm run listen -- --forward-to URL [options]

Reads the feed of events with an access token, and sends each page to a URL as a signed webhook. A page that is not
accepted with 2xx is sent again. The next run continues after the last accepted page.

  --forward-to URL   where to send webhooks: http:// on this computer, https:// elsewhere
  --after CURSOR     start after this event or cursor
  --since TIME       start with the events from this time, such as 2026-11-01T00:00:00Z
  --types LIST       types of events, separated by commas; default: all
  --state FILE       where the cursor and the secret are stored; default: .listen.json
  --no-follow        stop at the end of the feed

Environment variables:
  ACCESS_TOKEN       access token with the scope employees:read or reports:read; required
  BASE_URL           address of the API; default: http://localhost:3000
  WEBHOOK_SECRET     secret that signs, whsec_ and base64; default: created and stored with the first run

Without --after and --since, the first run starts with the events from now on.
`;

/** A mistake of the user, which is printed without a stack. */
class UsageError extends Error {}

const options = {
  'forward-to': { type: 'string' },
  after: { type: 'string' },
  since: { type: 'string' },
  types: { type: 'string', default: '' },
  state: { type: 'string', default: '.listen.json' },
  'no-follow': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

function readArguments() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // The name of an unknown option, without its value, which may be a token.
    throw new UsageError(
      error.code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
        ? 'Unexpected argument'
        : error.message.split('. ', 1)[0],
    );
  }
}

/** Tokens and personal data leave this computer over HTTPS only. */
function readUrl(name, value) {
  if (!URL.canParse(value)) throw new UsageError(`${name} must be a URL`);
  const { protocol, hostname } = new URL(value);
  const isLocal = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|host\.docker\.internal)$/.test(
    hostname,
  );
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return value;
  throw new UsageError(`${name} must start with https://, or with http:// for this computer`);
}

async function readState(file) {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '{}';
    throw new UsageError(`${file} cannot be read: ${error.code}`);
  });
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw new UsageError(`${file} is not JSON: delete it`);
  }
}

/** Replaces the file at once, so that a run that is killed leaves a complete one. Others must not read the secret. */
async function writeState(file, state) {
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function main() {
  const values = readArguments();
  if (values.help) return process.stdout.write(help);
  const { ACCESS_TOKEN: token, BASE_URL = 'http://localhost:3000', WEBHOOK_SECRET } = process.env;
  if (!values['forward-to']) throw new UsageError('--forward-to is required');
  if (!token)
    throw new UsageError('ACCESS_TOKEN is required: set the environment variable to an access token');
  if (values.after !== undefined && values.since !== undefined)
    throw new UsageError('--after and --since exclude each other');
  const forwardTo = readUrl('--forward-to', values['forward-to']);
  const baseUrl = readUrl('BASE_URL', BASE_URL).replace(/\/+$/, '');
  if (WEBHOOK_SECRET && !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(WEBHOOK_SECRET)) {
    throw new UsageError('WEBHOOK_SECRET must be whsec_ and base64');
  }

  const state = await readState(values.state);
  state.secret ??= createSecret();
  const secret = WEBHOOK_SECRET || state.secret;
  await writeState(values.state, state);
  const after = values.after ?? (values.since === undefined ? state.cursor : undefined);
  const start = after === undefined ? { since: values.since ?? new Date().toISOString() } : { after };

  const report = (line) => process.stdout.write(`${line}\n`);
  report(
    `Forwarding events ${after === undefined ? `since ${start.since}` : `after ${after}`} to ${forwardTo}`,
  );
  report(WEBHOOK_SECRET ? 'Signing with WEBHOOK_SECRET' : `Signing with ${secret}`);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
  await forward({
    ...{ baseUrl, token, forwardTo, secret, start, report, signal: stop.signal },
    types: values.types.split(',').filter(Boolean),
    follow: !values['no-follow'],
    onCursor: (cursor) => writeState(values.state, Object.assign(state, { cursor })),
  });
}

/** What to do after the API has rejected a request. */
function remedyOf({ status }) {
  if (status === 400 || status === 410) return 'Start with --since or --after, and check --types.';
  return 'Set ACCESS_TOKEN to a valid token. The next run continues after the last accepted page.';
}

try {
  await main();
} catch (error) {
  const isRejected = error instanceof RejectedError;
  if (!isRejected && !(error instanceof UsageError)) throw error;
  const message = error.message.replace(/\.$/, '');
  process.stderr.write(`${message}. ${isRejected ? remedyOf(error) : 'See --help.'}\n`);
  process.exitCode = 1;
}
