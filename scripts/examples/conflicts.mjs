import { send } from './send.mjs';

const reports = '/v1/reports';

/** More than one that runs and 100 that wait, also when the server reads some of them before the others. */
const crowd = 250;

/**
 * Sends one request many times while a transaction keeps the database busy. After its end the first request runs, as
 * many wait for it as may, and the others are rejected.
 */
async function keyInUse(world) {
  const server = await world.unlimited();
  const token = await world.token();
  const arrived = requestsArrive(server.app.server, crowd);
  const request = () =>
    send(server.base, reports, {
      json: { title: 'Headcount' },
      token,
      headers: { 'idempotency-key': 'crowd' },
    });
  let responses = [];
  await world.database.prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      responses = Array.from({ length: crowd }, request);
      await arrived;
    },
    { timeout: 60_000 },
  );
  const rejected = (await Promise.all(responses)).find(({ status }) => status === 409);
  if (rejected === undefined)
    throw new Error(`None of ${crowd} requests with one key was rejected with 409.`);
  return rejected;
}

/** Settles when so many requests have arrived at a server. */
function requestsArrive(server, expected) {
  let arrived = 0;
  return new Promise((resolve) => {
    server.on('request', () => {
      arrived += 1;
      if (arrived === expected) resolve();
    });
  });
}

/** Fills an account up to the limit that the server has by default. */
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

/** Changes a report, then sends the `ETag` that it had before. */
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

/** Errors that depend on what was sent before. */
export const conflicts = {
  IdempotencyKeyInUseResponseExample: keyInUse,
  QuotaExceededResponseExample: quotaExceeded,
  IdempotencyKeyReusedResponseExample: keyReused,
  PreconditionFailedResponseExample: preconditionFailed,
};
