import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ClientRegistry } from '../../../oauth/clients/client-registry.js';
import { type Page, renderPage } from '../../../platform/pages/layout.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import { consoleCallbackPath } from '../../demo-data/index.js';
import { CallbackPage } from './callback-page.js';
import { type ConsoleSettings, findConsoleApplication } from './console-application.js';
import { ConsolePage } from './console-page.js';

export interface ConsoleDependencies {
  readonly applications: ClientRegistry;
  readonly settings: ConsoleSettings;
}

/** `/console`, where every operation can be tried, and the redirect URI of its sign-in. */
export async function consolePages(
  app: FastifyInstance,
  { applications, settings }: ConsoleDependencies,
): Promise<void> {
  const { baseUrl, consoleClientId } = settings;
  const config = { page: true };
  let hasWarned = false;
  app.get('/console', { config }, async (request, reply) => {
    const application = await findConsoleApplication(applications, settings);
    if (application === undefined && consoleClientId !== undefined && !hasWarned) {
      hasWarned = true;
      request.log.warn(
        'CONSOLE_CLIENT_ID must be the client id of a public application with the redirect URI of the console',
      );
    }
    return send(reply, <ConsolePage baseUrl={baseUrl} application={application} />);
  });
  app.get(consoleCallbackPath, { config }, async (request, reply) => {
    const { error } = request.query as Record<string, unknown>;
    return send(reply, <CallbackPage error={error === undefined ? undefined : String(error)} />);
  });
}

function send(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .headers(privatePageHeaders({ script: true, requests: true }))
    .type('text/html; charset=utf-8')
    .send(renderPage(page));
}
