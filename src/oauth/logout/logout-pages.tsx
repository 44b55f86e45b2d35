import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { User } from '../../platform/accounts/user.js';
import type { Core } from '../../platform/core.js';
import type { Handlers, Input, Output } from '../../platform/http/binding/handlers.js';
import { operationQuery } from '../../platform/http/binding/operation-query.js';
import { type BrowserSession, signOutEvent } from '../../platform/http/browser-sessions.js';
import { CsrfField, SignedInAs } from '../../platform/pages/form-parts.js';
import { Layout, renderPage, sendPage } from '../../platform/pages/layout.js';
import { pageForm } from '../../platform/pages/page-context.js';
import { homePath } from '../../platform/pages/paths.js';
import { privatePageHeaders } from '../../platform/pages/security-headers.js';
import type { LogoutEndpoint, LogoutParameters, LogoutStep } from './logout-endpoint.js';

/** Handler of the operation `getLogout`, which asks the user to confirm. It never ends a session. */
export class LogoutHandlers implements Pick<Handlers, 'getLogout'> {
  readonly #endpoint: LogoutEndpoint;
  readonly #sessions: Core['sessions'];

  constructor(endpoint: LogoutEndpoint, { sessions }: Pick<Core, 'sessions'>) {
    this.#endpoint = endpoint;
    this.#sessions = sessions;
  }

  /** @throws {Problem} see {@link LogoutEndpoint.prepare} */
  async getLogout({ query, request }: Input<'getLogout'>): Promise<Output<'getLogout'>> {
    const session = await this.#sessions.sessionOfAnyStage(request);
    const step = await this.#endpoint.prepare(query, session?.user ?? null);
    if (session === null && step.redirect !== null)
      return { status: 302, headers: { ...privatePageHeaders(), location: step.redirect.location } };
    const page =
      session === null ? <SignedOutPage /> : <LogoutPage {...session} {...{ step, action: request.url }} />;
    const headers = privatePageHeaders({ toApplication: session !== null && step.redirect !== null });
    return { status: 200, headers, type: 'text/html', body: renderPage(page) };
  }
}

/** Route of the form that confirms, which is submitted to the address of its page. */
export async function logoutForm(
  app: FastifyInstance,
  { contract, endpoint, sessions }: Core & { readonly endpoint: LogoutEndpoint },
): Promise<void> {
  const { path, options } = operationQuery(contract, 'getLogout');
  const { recentPassword } = pageForm('ends only the session of the browser').config;
  app.post(
    path,
    { ...options, config: { page: true, recentPassword } },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const session = await sessions.sessionOfAnyStage(request);
      // A form that is submitted again has no session any more.
      if (session !== null) sessions.verifyCsrf(request, session);
      const parameters = request.query as LogoutParameters;
      const step = await endpoint.prepare(parameters, session?.user ?? null);
      if (session !== null) await sessions.signOut(request, reply, eventOf(session, step, request));
      if (step.redirect === null) return sendPage(reply, <SignedOutPage />);
      return reply.headers(privatePageHeaders()).redirect(step.redirect.location, 303);
    },
  );
}

/** As on the page of the service: a session without its second factor was no sign-in. */
function eventOf({ stage, user }: BrowserSession, { applicationId }: LogoutStep, request: FastifyRequest) {
  if (stage !== 'complete') return undefined;
  return { ...signOutEvent(user, request), ...(applicationId !== null && { applicationId }) };
}

function LogoutPage({
  user,
  csrfToken,
  step: { applicationName, redirect },
  action,
}: {
  user: User;
  csrfToken: string;
  step: LogoutStep;
  action: string;
}) {
  return (
    <Layout title="Sign out?" narrow>
      <h1>Sign out?</h1>
      {applicationName !== null && (
        <p>
          <strong>
            <bdi>{applicationName}</bdi>
          </strong>{' '}
          asks to sign you out of this service.
        </p>
      )}
      <SignedInAs user={user} />
      <p>You will be signed out in this browser. Applications that you use keep their access.</p>
      <form method="post" action={action}>
        <CsrfField token={csrfToken} />
        <button type="submit">Sign out</button>
      </form>
      <p>
        <a href={homePath}>Stay signed in</a>
      </p>
      {redirect !== null && (
        <p class="note">
          After signing out you will be redirected to <code>{redirect.host}</code>.
        </p>
      )}
    </Layout>
  );
}

function SignedOutPage() {
  return (
    <Layout title="You are signed out" narrow>
      <h1>You are signed out</h1>
      <p>
        <a href="/sign_in">Sign in</a>
      </p>
    </Layout>
  );
}
