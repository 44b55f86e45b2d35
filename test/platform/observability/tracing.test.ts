import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { startInstruments } from '../../../src/platform/observability/instruments.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { captureLog } from '../../support/server/captured-log.js';
import { recordSpans } from '../../support/server/spans.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const settings = { metricsPort: undefined, metricsHost: '127.0.0.1' };
const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

async function traced(t: import('tap').Test) {
  const spans = recordSpans(t);
  const instruments = await startInstruments({ ...settings, tracing: true }, database, []);
  const log = captureLog();
  const api = await buildTestApp(t, { ...instruments, logger: log.logger });
  return { api, spans, log };
}

t.test('a request is a span that continues the trace of its caller', async (t) => {
  const { api, spans, log } = await traced(t);
  const { application, accountId } = await createTenant(database);
  const token = await api.token(application);
  spans.length = 0;
  const response = await api.get('/v1/employees?page[size]=3', token, { traceparent });
  const [span] = spans;
  t.match(span, {
    name: 'listEmployees',
    kind: SpanKind.SERVER,
    traceId: caller.traceId,
    parentId: caller.spanId,
    ended: 1,
    status: undefined,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/v1/employees',
      'url.scheme': 'http',
      'http.response.status_code': 200,
      'people.request_id': response.headers['x-request-id'],
      'people.account_id': accountId,
      'people.application_id': application.id,
    },
  });
  t.match(log.done(response.headers['x-request-id']), [{ trace_id: caller.traceId }], 'the log names it');
});

t.test('queries of a request belong to its span, with a body and without', async (t) => {
  const { api, spans } = await traced(t);
  const { application } = await createTenant(database);
  const client = { client_id: application.clientId, client_secret: application.clientSecret };
  const token = await api.token(application);
  for (const [name, ask] of [
    ['createToken', () => api.postForm('/v1/oauth/token', { grant_type: 'client_credentials', ...client })],
    ['getEmployee', () => api.get('/v1/employees/unknown', token)],
    ['GET /readyz', () => api.app.inject('/readyz')],
  ] as const) {
    spans.length = 0;
    await ask();
    const [own, ...statements] = spans;
    t.equal(own?.name, name);
    t.ok(statements.length > 0, `${name} queries the database`);
    for (const statement of statements) {
      t.match(
        statement,
        { kind: SpanKind.CLIENT, traceId: own?.traceId, parentId: own?.spanId, ended: 1 },
        `${name}: ${statement.name}`,
      );
      t.equal(statement.attributes['db.system.name'], 'postgresql');
    }
  }
});

t.test(
  'a server error marks its spans, a client error does not, and neither has the values that were sent',
  async (t) => {
    const { api, spans } = await traced(t);
    const { application } = await createTenant(database);
    spans.length = 0;
    await api.get('/v1/employees?token=verysecret', 'verysecret');
    t.match(spans, [{ status: undefined, attributes: { 'people.problem': 'invalid_token' } }]);
    await api.get('/verysecret');
    t.match(spans[1], { name: 'unknown', attributes: { 'http.response.status_code': 404 } });
    await asOwner(database, 'ALTER TABLE applications RENAME TO applications_away');
    const client = { client_id: application.clientId, client_secret: 'verysecret' };
    const response = await api.postForm('/v1/oauth/token', { grant_type: 'client_credentials', ...client });
    await asOwner(database, 'ALTER TABLE applications_away RENAME TO applications');
    t.equal(response.statusCode, 500);
    const failed = spans.filter(({ status }) => status?.code === SpanStatusCode.ERROR);
    t.match(
      failed.map(({ kind }) => kind),
      [SpanKind.SERVER, SpanKind.CLIENT],
    );
    t.equal(failed[0]?.attributes['error.type'], 'internal_error');
    t.notMatch(JSON.stringify(spans), 'verysecret');
  },
);

t.test('the span of a request is a child of the span of node:http', async (t) => {
  const { api, spans } = await traced(t);
  spans.length = 0;
  const outer = trace.getTracer('http').startSpan('GET');
  await context.with(trace.setSpan(context.active(), outer), () =>
    api.app.inject({ url: '/healthz', headers: { traceparent } }),
  );
  t.match(spans[1], { name: 'GET /healthz', kind: SpanKind.INTERNAL, parentId: outer.spanContext().spanId });
});

t.test('without tracing no span is created', async (t) => {
  const spans = recordSpans(t);
  const instruments = await startInstruments({ ...settings, tracing: false }, database, []);
  const api = await buildTestApp(t, { ...instruments });
  await api.app.inject({ url: '/readyz', headers: { traceparent } });
  t.same(spans, []);
});
