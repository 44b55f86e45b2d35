import type { ApplicationDetails, ApplicationReader } from '../../../oauth/clients/application-details.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import { actionForm, rejected } from '../../../platform/pages/define-pages.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext, PageResponse, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { WebhookCallLimiter } from '../webhook-call-limiter.js';
import type { EndpointContext, WebhookEndpoint } from '../webhook-endpoint.js';
import type { WebhookEndpoints } from '../webhook-endpoints.js';
import type { WebhookTests } from '../webhook-tests.js';
import { afterField, endpointPage, type ResumeFormValues, resumePoints } from './endpoint-page.js';
import { webhooksPage } from './list-page.js';

/** Dependencies of the pages for the webhook endpoints of an application. */
export interface WebhookPagesDependencies {
  readonly applications: ApplicationReader;
  readonly webhooks: {
    readonly endpoints: WebhookEndpoints;
    readonly tests: WebhookTests;
    readonly calls: WebhookCallLimiter;
  };
}

/** Settings → OAuth applications → an application → Webhooks. */
export function webhookPages(site: PageRouter, dependencies: WebhookPagesDependencies): void {
  const { endpoints, tests, calls } = dependencies.webhooks;
  const path = applicationAddress(':id', 'webhooks', ':endpoint_id');

  const show = async (
    context: PageContext,
    { application, endpoint }: Requested,
    values?: ResumeFormValues,
  ): Promise<PageView> => {
    const owner = { accountId: context.auditContext.accountId, applicationId: application.id };
    const deliveries = (await endpoints.deliveries(owner, endpoint.id)) ?? [];
    return endpointPage({ application, endpoint, deliveries, ...(values && { values }) });
  };
  const back = async (context: PageContext) => addressOf(await requestedEndpoint(context, dependencies));

  site.get(applicationAddress(':id', 'webhooks'), async (context) => {
    const application = await requestedApplication(context, dependencies);
    const { accountId } = context.auditContext;
    const listed = await endpoints.list({ accountId, applicationId: application.id });
    return webhooksPage(application, listed);
  });

  site.get(path, async (context) => show(context, await requestedEndpoint(context, dependencies)));

  actionForm(site, `${path}/test`, {
    recentPassword: ['no', 'sends a test without data'],
    back,
    save: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const attempt = await calls.run(context.auditContext.accountId, {
        signal: context.disconnected(),
        work: () => tests.send(endpointContext(context, requested.application), requested.endpoint.id),
      });
      if (attempt === null) throw recordNotFound();
      return { redirect: withFlash(addressOf(requested), 'webhook_test_sent') };
    },
  });

  actionForm(site, `${path}/resume`, {
    recentPassword: ['form', 'sends events to its URL, or skips some'],
    back,
    save: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const { application, endpoint } = requested;
      const values = readResumeForm(context);
      const rejection = async (message: string, status: number): Promise<PageResponse> => ({
        ...(await show(context, requested, values)),
        ...rejected(afterField, message, status),
      });
      const owner = endpointContext(context, application);
      const resumed = await endpoints.resume(owner, endpoint.id, resumePoint(values));
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
          return { redirect: withFlash(addressOf(requested), 'webhook_resumed') };
      }
    },
  });
}

interface Requested {
  readonly application: ApplicationDetails;
  readonly endpoint: WebhookEndpoint;
}

function addressOf({ application, endpoint }: Requested): string {
  return applicationAddress(application.id, 'webhooks', endpoint.id);
}

/** @throws {Problem} 404 `not_found` when the account or the application does not have it */
async function requestedEndpoint(
  context: PageContext,
  { applications, webhooks }: WebhookPagesDependencies,
): Promise<Requested> {
  const application = await requestedApplication(context, { applications });
  const id = context.parameter('endpoint_id');
  const owner = { accountId: context.auditContext.accountId, applicationId: application.id };
  const endpoint = isRecordId(id) ? await webhooks.endpoints.get(owner, id) : null;
  if (endpoint === null) throw recordNotFound();
  return { application, endpoint };
}

function endpointContext({ auditContext }: PageContext, { id }: ApplicationDetails): EndpointContext {
  return { ...auditContext, applicationId: id };
}

function readResumeForm({ form }: PageContext): ResumeFormValues {
  const given = form.text('from');
  return { from: resumePoints.find((point) => point === given) ?? 'stopped', after: form.text('after') };
}

function resumePoint({ from, after }: ResumeFormValues) {
  if (from === 'end') return 'end';
  return from === 'after' ? { after } : undefined;
}
