import {
  type ApplicationDetails,
  type ApplicationReader,
  requestedApplication,
} from '../../../oauth/clients/application-details.js';
import { applicationPage, tabAddress } from '../../../oauth/clients/application-tabs.js';
import { counted } from '../../../platform/counted.js';
import { type Column, column, DataTable, Empty } from '../../../platform/pages/data-table.js';
import { actionForm, rejected } from '../../../platform/pages/define-pages.js';
import { requestedId } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext, PageResponse, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import { type EndpointOwner, type WebhookEndpoint, withoutQuery } from '../webhook-endpoint.js';
import type { Webhooks } from '../webhook-endpoints.js';
import {
  afterField,
  EndpointState,
  endpointPage,
  type ResumeFormValues,
  resumePoints,
} from './endpoint-page.js';

/** Dependencies of the pages for the webhook endpoints of an application. */
export interface WebhookPagesDependencies {
  readonly applications: ApplicationReader;
  readonly webhooks: Webhooks;
}

/** Settings → OAuth applications → an application → Webhooks. */
export function webhookPages(site: PageRouter, dependencies: WebhookPagesDependencies): void {
  const { endpoints, tests, calls } = dependencies.webhooks;
  const path = applicationAddress(':id', 'webhooks', ':endpoint_id');

  const show = async ({ owner, ...requested }: Requested, values?: ResumeFormValues): Promise<PageView> => {
    const attempts = (await endpoints.deliveries(owner, requested.endpoint.id)) ?? [];
    return endpointPage({ ...requested, attempts, ...(values && { values }) });
  };
  const back = async (context: PageContext) => pathOf(await requestedEndpoint(context, dependencies));

  site.get(tabAddress(':id', 'webhooks'), async (context) => {
    const application = await confidentialApplication(context, dependencies);
    const { accountId } = context.auditContext;
    const listed = await endpoints.list({ accountId, applicationId: application.id });
    return webhooksPage(application, listed);
  });

  site.get(path, async (context) => show(await requestedEndpoint(context, dependencies)));

  actionForm(site, `${path}/test`, {
    recentPassword: ['no', 'sends a test without data'],
    back,
    save: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const { owner, endpoint } = requested;
      const send = () => tests.send({ ...context.auditContext, ...owner }, endpoint.id);
      found(await calls.run(owner.accountId, context.disconnected(), send));
      return { redirect: withFlash(pathOf(requested), 'webhook_test_sent') };
    },
  });

  actionForm(site, `${path}/resume`, {
    recentPassword: ['form', 'sends events to its URL, or skips some'],
    back,
    save: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const { owner, endpoint } = requested;
      const { form, auditContext } = context;
      const given = form.text('from');
      const from = resumePoints.find((point) => point === given) ?? 'stopped';
      const after = form.text('after');
      const rejection = async (message: string, status: number): Promise<PageResponse> => ({
        ...(await show(requested, { from, after })),
        ...rejected(afterField, message, status),
      });
      const point = { stopped: undefined, end: 'end', after: { after } } as const;
      const resumed = await endpoints.resume({ ...auditContext, ...owner }, endpoint.id, point[from]);
      switch (resumed.kind) {
        case 'not_found':
          throw recordNotFound();
        case 'invalid_cursor':
          return rejection('Enter the ID of an event of your account.', 400);
        case 'expired':
          return rejection(
            'The next events are no longer kept. Continue after the last event, or after a later one.',
            409,
          );
        case 'resumed':
          return { redirect: withFlash(pathOf(requested), 'webhook_resumed') };
      }
    },
  });
}

interface Requested {
  readonly owner: EndpointOwner;
  readonly application: ApplicationDetails;
  readonly endpoint: WebhookEndpoint;
}

function pathOf({ application, endpoint }: Requested): string {
  return applicationAddress(application.id, 'webhooks', endpoint.id);
}

/** @throws {Problem} 404 `not_found`, also for a public application, which cannot have endpoints */
async function confidentialApplication(
  context: PageContext,
  dependencies: WebhookPagesDependencies,
): Promise<ApplicationDetails> {
  const application = await requestedApplication(context, dependencies);
  if (application.clientType === 'public') throw recordNotFound();
  return application;
}

/** @throws {Problem} 404 `not_found` when the account or the application does not have it */
async function requestedEndpoint(
  context: PageContext,
  { applications, webhooks }: WebhookPagesDependencies,
): Promise<Requested> {
  const application = await requestedApplication(context, { applications });
  const id = requestedId(context, 'endpoint_id');
  const owner = { accountId: context.auditContext.accountId, applicationId: application.id };
  const endpoint = found(await webhooks.endpoints.get(owner, id));
  return { owner, application, endpoint };
}

/** The number of endpoints and of those that do not get events, such as "3 endpoints: 1 paused, 1 retrying". */
export function describeEndpoints(endpoints: readonly WebhookEndpoint[]): string {
  if (endpoints.length === 0) return 'No endpoints';
  const paused = endpoints.filter(({ pausedAt }) => pausedAt !== null).length;
  const isRetrying = (endpoint: WebhookEndpoint) =>
    endpoint.pausedAt === null && endpoint.failingSince !== null;
  const retrying = endpoints.filter(isRetrying).length;
  const problems = [paused > 0 && `${paused} paused`, retrying > 0 && `${retrying} retrying`].filter(Boolean);
  const total = counted(endpoints.length, 'endpoint');
  return problems.length === 0 ? total : `${total}: ${problems.join(', ')}`;
}

/** The webhook endpoints of an application. */
function webhooksPage(application: ApplicationDetails, endpoints: readonly WebhookEndpoint[]): PageView {
  return applicationPage(application, 'webhooks', {
    body: (
      <>
        <p>
          Changes of employees and reports are sent to these URLs. The application adds and deletes endpoints
          with <a href="/docs/guides/webhooks">the API</a>.
        </p>
        {endpoints.length === 0 ? (
          <Empty title="No endpoints.">
            <p>Endpoints that the application creates appear here.</p>
          </Empty>
        ) : (
          <DataTable
            caption="Webhook endpoints"
            columns={columnsOf(application.id)}
            rows={endpoints}
            rowKey={({ id }) => id}
          />
        )}
      </>
    ),
  });
}

function columnsOf(applicationId: string): Column<WebhookEndpoint>[] {
  return [
    column('URL', ({ id, url }) => (
      <a href={applicationAddress(applicationId, 'webhooks', id)}>{withoutQuery(url)}</a>
    )),
    column('Description', ({ description }) => (description === null ? '–' : <bdi>{description}</bdi>)),
    column('State', (endpoint) => <EndpointState endpoint={endpoint} />),
  ];
}
