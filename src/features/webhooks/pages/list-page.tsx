import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { counted } from '../../../platform/counted.js';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { maxRetryDays, type PauseReason, type WebhookEndpoint, withoutQuery } from '../webhook-endpoint.js';

const reasons: Readonly<Record<PauseReason, string>> = {
  failing: `every attempt failed for ${maxRetryDays} days`,
  gone: 'its server responded with 410 Gone',
  expired: 'the next events are no longer kept',
  access: 'the application lost the scope reports:read',
  revoked: 'all access of the application was revoked',
};

/** Badge that shows whether events are sent to an endpoint. */
export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { pausedAt, pauseReason, failingSince } = endpoint;
  if (pausedAt !== null) {
    return (
      <>
        <Badge tone="ended">Paused</Badge> since <Timestamp at={pausedAt} />
        {/* A later version may have stored another reason. */}
        {pauseReason !== null && pauseReason in reasons && `, because ${reasons[pauseReason]}`}
      </>
    );
  }
  if (failingSince !== null) {
    return (
      <>
        <Badge tone="caution">Retrying</Badge> since <Timestamp at={failingSince} />
      </>
    );
  }
  return <Badge tone="good">Delivering</Badge>;
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
export function webhooksPage(
  { id, name }: ApplicationDetails,
  endpoints: readonly WebhookEndpoint[],
): PageView {
  return {
    title: `Webhooks of ${name}`,
    heading: <h1>Webhooks</h1>,
    parent: { title: name, href: applicationAddress(id) },
    body: (
      <>
        <p>
          Changes of employees and reports are sent to these URLs. The application adds and deletes endpoints
          with <a href="/docs/guides/webhooks">the API</a>.
        </p>
        {endpoints.length === 0 ? (
          <div class="empty">
            <p>
              <strong>No endpoints.</strong>
            </p>
            <p>Endpoints that the application creates appear here.</p>
          </div>
        ) : (
          <DataTable
            caption="Webhook endpoints"
            columns={columnsOf(id)}
            rows={endpoints}
            rowKey={({ id }) => id}
          />
        )}
      </>
    ),
  };
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
