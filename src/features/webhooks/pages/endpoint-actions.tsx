import { tabAddress } from '../../../oauth/clients/application-tabs.js';
import { randomId } from '../../../platform/database/ids.js';
import {
  actionForm,
  confirmPage,
  formNonce,
  ImmediateEffects,
} from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import { withoutQuery } from '../webhook-endpoint.js';
import { endpointAddress, requestedEndpoint, type WebhookPagesDependencies } from './requested.js';
import { endpointSecretPage } from './secret-page.js';

/** Forms that pause an endpoint, replace its secret, and delete it. */
export function endpointActions(site: PageRouter, dependencies: WebhookPagesDependencies): void {
  const { endpoints, pauses } = dependencies.webhooks;
  const path = (action: string) => applicationAddress(':id', 'webhooks', ':endpoint_id', action);

  actionForm(site, path('pause'), {
    recentPassword: ['no', 'stops events, which are sent when it is resumed'],
    back: async (context) => endpointAddress(await requestedEndpoint(context, dependencies)),
    save: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const { owner, endpoint } = requested;
      if (!(await pauses.pause({ ...context.auditContext, ...owner }, endpoint.id))) throw recordNotFound();
      return { redirect: withFlash(endpointAddress(requested), 'webhook_paused') };
    },
  });

  confirmPage(site, path('rotate_secret'), {
    reason: 'replaces the secret of a webhook endpoint, and shows it',
    view: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const url = withoutQuery(requested.endpoint.url);
      return {
        title: 'Replace the secret?',
        parent: { title: `Endpoint ${url}`, href: endpointAddress(requested) },
        button: 'Replace secret',
        cancel: endpointAddress(requested),
        fields: <input type="hidden" name="form" value={randomId()} />,
        body: (
          <div class="warning">
            <p>
              Deliveries to <strong>{url}</strong> are signed with a new secret, which is shown once. For a
              day they are signed with the present one too. An earlier one stops working now.
            </p>
          </div>
        ),
      };
    },
    save: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const { owner, application, endpoint } = requested;
      const change = { ...context.auditContext, ...owner, nonce: formNonce(context) };
      const rotated = found(await endpoints.rotateSecret(change, endpoint.id));
      return rotated === 'repeated'
        ? { redirect: withFlash(endpointAddress(requested), 'webhook_secret_exists') }
        : endpointSecretPage('Secret replaced', { application, ...rotated });
    },
  });

  confirmPage(site, path('delete'), {
    reason: 'destroys a webhook endpoint',
    view: async (context) => {
      const requested = await requestedEndpoint(context, dependencies);
      const url = withoutQuery(requested.endpoint.url);
      return {
        title: 'Delete this endpoint?',
        parent: { title: `Endpoint ${url}`, href: endpointAddress(requested) },
        button: 'Delete endpoint',
        cancel: endpointAddress(requested),
        body: (
          <div class="warning">
            <ImmediateEffects />
            <ul>
              <li>
                Events are no longer sent to <strong>{url}</strong>, not even those that wait.
              </li>
              <li>Its secret and its deliveries are deleted.</li>
            </ul>
            <p>This cannot be undone.</p>
          </div>
        ),
      };
    },
    save: async (context) => {
      const { owner, application, endpoint } = await requestedEndpoint(context, dependencies);
      if (!(await endpoints.delete({ ...context.auditContext, ...owner }, endpoint.id)))
        throw recordNotFound();
      return { redirect: withFlash(tabAddress(application.id, 'webhooks'), 'webhook_deleted') };
    },
  });
}
