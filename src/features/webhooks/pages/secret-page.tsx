import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { shownOncePage } from '../../../platform/pages/copyable.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { type WebhookEndpoint, withoutQuery } from '../webhook-endpoint.js';
import { endpointAddress } from './requested.js';

/** The only page that shows the secret of an endpoint. */
export function endpointSecretPage(
  title: string,
  {
    application,
    endpoint,
    secret,
  }: { application: ApplicationDetails; endpoint: WebhookEndpoint; secret: string },
): PageView {
  const { previousSecretExpiresAt } = endpoint;
  return shownOncePage({
    title,
    warning: (
      <>
        <strong>Copy the secret now. You won't be able to see it again.</strong> The server of{' '}
        {withoutQuery(endpoint.url)} verifies with it that a delivery is authentic. Store it where only that
        server can read it.
      </>
    ),
    values: [{ id: 'webhook-secret', label: 'Secret', value: secret }],
    more: previousSecretExpiresAt !== null && (
      <p>
        Deliveries are signed with the previous secret too until <Timestamp at={previousSecretExpiresAt} />.
      </p>
    ),
    next: { href: endpointAddress({ application, endpoint }), label: 'I have stored the secret' },
  });
}
