import type { ApplicationDetails, ApplicationReader } from '../../../oauth/clients/application-details.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { WebhookCallLimiter } from '../webhook-call-limiter.js';
import type { EndpointContext, WebhookEndpoint } from '../webhook-endpoint.js';
import type { WebhookEndpoints } from '../webhook-endpoints.js';
import type { WebhookTests } from '../webhook-tests.js';
import { EndpointPage, type ResumeFormValues, resumePoints } from './endpoint-page.js';
import { WebhooksPage } from './list-page.js';

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
  const path = `${settings.applications}/:id/webhooks`;

  const show = async (
    context: PageContext,
    { application, endpoint }: Requested,
    form: { values?: ResumeFormValues; error?: string } = {},
  ) => {
    const owner = { accountId: context.auditContext.accountId, applicationId: application.id };
    const deliveries = (await endpoints.deliveries(owner, endpoint.id)) ?? [];
    return <EndpointPage {...{ context, application, endpoint, deliveries, ...form }} />;
  };

  site.get(path, async (context) => {
    const application = await requestedApplication(context, dependencies);
    const { accountId } = context.auditContext;
    const listed = await endpoints.list({ accountId, applicationId: application.id });
    return { page: <WebhooksPage {...{ context, application, endpoints: listed }} /> };
  });

  site.get(`${path}/:endpoint_id`, async (context) => ({
    page: await show(context, await requestedEndpoint(context, dependencies)),
  }));

  // The addresses of the forms: a user whose session expired is sent back to them after signing in.
  for (const form of ['test', 'resume']) {
    site.get(`${path}/:endpoint_id/${form}`, async (context) => {
      const { application, endpoint } = await requestedEndpoint(context, dependencies);
      return { redirect: applicationAddress(application.id, 'webhooks', endpoint.id) };
    });
  }

  site.post(`${path}/:endpoint_id/test`, async (context) => {
    const { application, endpoint } = await requestedEndpoint(context, dependencies);
    const attempt = await calls.run(context.auditContext.accountId, {
      signal: context.disconnected(),
      work: () => tests.send(endpointContext(context, application), endpoint.id),
    });
    if (attempt === null) throw recordNotFound();
    return {
      redirect: withNotice(applicationAddress(application.id, 'webhooks', endpoint.id), 'webhook_test_sent'),
    };
  });

  site.post(`${path}/:endpoint_id/resume`, async (context) => {
    const requested = await requestedEndpoint(context, dependencies);
    const { application, endpoint } = requested;
    const values = readResumeForm(context);
    const resumed = await endpoints.resume(
      endpointContext(context, application),
      endpoint.id,
      resumePoint(values),
    );
    switch (resumed.kind) {
      case 'unknown':
        throw recordNotFound();
      case 'invalid_cursor':
        return {
          status: 400,
          page: await show(context, requested, {
            values,
            error: 'Enter the ID of an event of your account.',
          }),
        };
      case 'expired':
        return {
          status: 409,
          page: await show(context, requested, {
            values,
            error: 'The next events are no longer kept. Continue after the last event, or after a later one.',
          }),
        };
      case 'resumed':
        return {
          redirect: withNotice(
            applicationAddress(application.id, 'webhooks', endpoint.id),
            'webhook_resumed',
          ),
        };
    }
  });
}

interface Requested {
  readonly application: ApplicationDetails;
  readonly endpoint: WebhookEndpoint;
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
