import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { ErrorSummary, Fact, Facts } from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import type { WebhookDelivery } from '../webhook-deliveries.js';
import type { WebhookEndpoint } from '../webhook-endpoint.js';
import { AttemptsSection } from './attempts-section.js';
import { EndpointState, shownUrl } from './endpoint-state.js';
import { afterField, ResumeForm, type ResumeFormValues } from './resume-form.js';

/** State and last attempts of a webhook endpoint. */
export function EndpointPage({
  context,
  application,
  endpoint,
  deliveries,
  values = { from: 'stopped', after: '' },
  error,
}: {
  context: PageContext;
  application: ApplicationDetails;
  endpoint: WebhookEndpoint;
  deliveries: readonly WebhookDelivery[];
  values?: ResumeFormValues;
  /** Errors of the form. */
  error?: string;
}) {
  const { id, url, description, eventTypes, lastEventId, createdAt } = endpoint;
  const address = applicationAddress(application.id, 'webhooks', id);
  return (
    <SitePage
      context={context}
      title={`Endpoint ${shownUrl(url)}`}
      hasErrors={error !== undefined}
      current="applications"
      parent={{
        title: `Webhooks of ${application.name}`,
        href: applicationAddress(application.id, 'webhooks'),
      }}
    >
      <h1>{shownUrl(url)}</h1>
      <ErrorSummary errors={error === undefined ? [] : [{ field: afterField, message: error }]} />
      <Facts>
        <Fact name="State">
          <EndpointState endpoint={endpoint} reader={context.user} />
        </Fact>
        {description !== null && (
          <Fact name="Description">
            <bdi>{description}</bdi>
          </Fact>
        )}
        <Fact name="Events">{eventTypes.length === 0 ? 'All types' : eventTypes.join(', ')}</Fact>
        <Fact name="Position">
          After <code>{lastEventId}</code>
        </Fact>
        <Fact name="Endpoint ID">
          <code>{id}</code>
        </Fact>
        <Fact name="Created">
          <Timestamp at={createdAt} reader={context.user} />
        </Fact>
      </Facts>
      <section>
        <h2>Send test</h2>
        <p>
          Sends an event of the type <code>webhook_endpoint.test</code>, and waits up to 15 seconds for the
          response.
        </p>
        <form method="post" action={`${address}/test`}>
          <CsrfField token={context.csrfToken} />
          <button type="submit" class="secondary">
            Send test
          </button>
        </form>
      </section>
      <ResumeForm {...{ context, values, error }} action={`${address}/resume`} />
      <AttemptsSection deliveries={deliveries} reader={context.user} />
    </SitePage>
  );
}
