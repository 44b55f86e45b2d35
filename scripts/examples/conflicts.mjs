import { send } from './send.mjs';

const reports = '/v1/reports';

/** More requests than one that runs and 100 that are queued, even if the server reads some of them before the others. */
const requestCount = 250;

/**
 * Sends one request many times while a transaction occupies the database. When the transaction ends, the first request
 * runs, 100 are queued behind it, and the others are rejected.
 */
async function keyInUse(world) {
  const server = await world.unlimited();
  const token = await world.token();
  const arrived = requestsArrive(server.app.server, requestCount);
  const request = () =>
    send(server.base, reports, {
      json: { title: 'Headcount' },
      token,
      headers: { 'idempotency-key': 'concurrent' },
    });
  let responses = [];
  await world.database.prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      responses = Array.from({ length: requestCount }, request);
      await arrived;
    },
    { timeout: 60_000 },
  );
  const rejected = (await Promise.all(responses)).find(({ status }) => status === 409);
  if (rejected === undefined)
    throw new Error(`None of ${requestCount} requests with the same key was rejected with 409.`);
  return rejected;
}

/** Resolves when the server has received the expected number of requests. */
function requestsArrive(server, expected) {
  let arrived = 0;
  return new Promise((resolve) => {
    server.on('request', () => {
      arrived += 1;
      if (arrived === expected) resolve();
    });
  });
}

/** Creates as many reports as the default limit of an account allows, then one more. */
async function quotaExceeded(world) {
  const { maxReportsPerAccount } = world.server.config;
  await world.database.prisma.$executeRaw`
    INSERT INTO reports (id, account_id, title, updated_at)
    SELECT 'filler' || number, 'demoglobex', 'Headcount', now()
    FROM generate_series(1, ${maxReportsPerAccount}::int) AS number`;
  return world.send(reports, { json: { title: 'One more' }, token: await world.token('globexbackend') });
}

async function keyReused(world) {
  const headers = { 'idempotency-key': '2f0c4a52-7f65-4a9c-8b9e-51b3f5e7a6d1' };
  const token = await world.token();
  await world.send(reports, { json: { title: 'Headcount' }, token, headers });
  return world.send(reports, { json: { title: 'Another report' }, token, headers });
}

/** Changes a report, then sends its previous `ETag`. */
async function preconditionFailed(world) {
  const created = await world.recorded('ListReportCreateRequestExample');
  await world.recorded('RenameReportUpdateRequestExample');
  return world.send(`${reports}/${created.body.data.id}`, {
    method: 'PATCH',
    json: world.example('RenameReportUpdateRequestExample'),
    token: await world.token(),
    headers: { 'if-match': created.headers.etag },
  });
}

/** Errors that depend on earlier requests. */
export const conflicts = {
  IdempotencyKeyInUseResponseExample: keyInUse,
  QuotaExceededResponseExample: quotaExceeded,
  IdempotencyKeyReusedResponseExample: keyReused,
  PreconditionFailedResponseExample: preconditionFailed,
};
