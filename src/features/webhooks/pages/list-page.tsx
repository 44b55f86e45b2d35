import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import type { WebhookEndpoint } from '../webhook-endpoint.js';
import { EndpointState, shownUrl } from './endpoint-state.js';

/** The webhook endpoints of an application. */
export function WebhooksPage({
  context,
  application: { id, name },
  endpoints,
}: {
  context: PageContext;
  application: ApplicationDetails;
  endpoints: readonly WebhookEndpoint[];
}) {
  return (
    <SitePage
      context={context}
      title={`Webhooks of ${name}`}
      current="applications"
      parent={{ title: name, href: applicationAddress(id) }}
    >
      <h1>Webhooks</h1>
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
          columns={columnsFor(context, id)}
          rows={endpoints}
          rowKey={({ id }) => id}
        />
      )}
    </SitePage>
  );
}

function columnsFor({ user }: PageContext, applicationId: string): Column<WebhookEndpoint>[] {
  const column = (label: string, cell: Column<WebhookEndpoint>['cell']): Column<WebhookEndpoint> => {
    return { key: label, heading: label, label, cell };
  };
  return [
    column('URL', ({ id, url }) => (
      <a href={applicationAddress(applicationId, 'webhooks', id)}>{shownUrl(url)}</a>
    )),
    column('Description', ({ description }) => (description === null ? '–' : <bdi>{description}</bdi>)),
    column('State', (endpoint) => <EndpointState endpoint={endpoint} reader={user} />),
  ];
}
