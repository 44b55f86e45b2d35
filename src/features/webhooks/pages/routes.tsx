import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { applicationPage, tabAddress } from '../../../oauth/clients/application-tabs.js';
import { counted } from '../../../platform/counted.js';
import { type Column, column, DataTable, Empty } from '../../../platform/pages/data-table.js';
import { actionForm, rejected } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext, PageResponse, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import { stateOf, type WebhookEndpoint, withoutQuery } from '../webhook-endpoint.js';
import { maximumEndpoints } from '../webhook-endpoints.js';
import { endpointActions } from './endpoint-actions.js';
import { endpointForms } from './endpoint-form.js';
import {
  afterField,
  EndpointState,
  endpointPage,
  type ResumeFormValues,
  resumePoints,
} from './endpoint-page.js';
import {
  confidentialApplication,
  endpointAddress,
  type RequestedEndpoint,
  requestedEndpoint,
  type WebhookPagesDependencies,
} from './requested.js';

/** Settings → OAuth applications → an application → Webhooks. */
export function webhookPages(site: PageRouter, dependencies: WebhookPagesDependencies): void {
  const { endpoints, pauses, sendTest, calls } = dependencies.webhooks;
  const path = applicationAddress(':id', 'webhooks', ':endpoint_id');

  const show = async (
    { owner, ...requested }: RequestedEndpoint,
    values?: ResumeFormValues,
  ): Promise<PageView> => {
    const attempts = (await endpoints.deliveries(owner, requested.endpoint.id)) ?? [];
    return endpointPage({ ...requested, attempts, ...(values && { values }) });
  };
  const back = async (context: PageContext) =>
    endpointAddress(await requestedEndpoint(context, dependencies));

  site.get(tabAddress(':id', 'webhooks'), async (context) => {
    const application = await confidentialApplication(context, dependencies);
    const { accountId } = context.auditContext;
    const listed = await endpoints.list({ accountId, applicationId: application.id });
    return webhooksPage(application, listed);
  });

  endpointForms(site, dependencies);

  site.get(path, async (context) => {
    const requested = await requestedEndpoint(context, dependencies);
    const after = context.query.text(afterField);
    return show(requested, after === '' ? undefined : { from: 'after', after });
  });

  endpointActions(site, dependencies);

  actionForm(site, `${path}/test`, {
    recentPassword: ['no', 'sends a test without data'],
    back,
    save: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const { owner, endpoint } = requested;
      const send = () => sendTest({ ...context.auditContext, ...owner }, endpoint.id);
      found(await calls.run(owner.accountId, context.disconnected(), send));
      return { redirect: withFlash(endpointAddress(requested), 'webhook_test_sent') };
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
      const resumed = await pauses.resume({ ...auditContext, ...owner }, endpoint.id, point[from]);
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
          return { redirect: withFlash(endpointAddress(requested), 'webhook_resumed') };
      }
    },
  });
}

/** The number of endpoints and of those that do not get events, such as "3 endpoints: 1 paused, 1 retrying". */
export function describeEndpoints(endpoints: readonly WebhookEndpoint[]): string {
  if (endpoints.length === 0) return 'No endpoints';
  const states = endpoints.map(stateOf);
  const problems = (['paused', 'retrying'] as const).flatMap((problem) => {
    const count = states.filter((state) => state === problem).length;
    return count === 0 ? [] : [`${count} ${problem}`];
  });
  const total = counted(endpoints.length, 'endpoint');
  return problems.length === 0 ? total : `${total}: ${problems.join(', ')}`;
}

/** The webhook endpoints of an application. */
function webhooksPage(application: ApplicationDetails, endpoints: readonly WebhookEndpoint[]): PageView {
  const add = (
    <a class="button" href={applicationAddress(application.id, 'webhooks', 'new')}>
      Add endpoint
    </a>
  );
  return applicationPage(application, 'webhooks', {
    body: (
      <>
        <p>
          Changes of employees and reports are sent to these URLs. You manage them here, and the application
          with the API: <a href="/docs/guides/webhooks">how webhooks work</a>.
        </p>
        {endpoints.length === 0 ? (
          <Empty title="No endpoints.">
            <p>Add the URL of a server that receives the events.</p>
            {add}
          </Empty>
        ) : (
          <>
            <DataTable caption="Webhook endpoints" columns={columnsOf(application.id)} rows={endpoints} />
            <p>
              {endpoints.length < maximumEndpoints
                ? add
                : `An application has at most ${maximumEndpoints} endpoints.`}
            </p>
          </>
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
