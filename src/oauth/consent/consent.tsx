import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from '../../platform/core.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Handlers, Input, Output } from '../../platform/http/binding/handlers.js';
import type { BrowserSession } from '../../platform/http/browser-sessions.js';
import { auditOrigin } from '../../platform/http/principal.js';
import { narrowQuestion } from '../../platform/pages/confirm-password.js';
import { Fields } from '../../platform/pages/fields.js';
import { CsrfField, SignedInAs } from '../../platform/pages/form-parts.js';
import { Layout, renderPage, sendPage } from '../../platform/pages/layout.js';
import { requestPath } from '../../platform/pages/page-context.js';
import { approvalPath, signInAddress } from '../../platform/pages/paths.js';
import { privatePageHeaders } from '../../platform/pages/security-headers.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { violation } from '../../platform/problems/rule-texts.js';
import type { AuthorizationEndpoint, AuthorizationStep, ConsentStep } from '../authorization-endpoint.js';
import type { AuthorizationParameters } from '../authorization-request.js';
import { describePublisher } from '../clients/installations.js';
import { ScopeChoices } from '../scope-choices.js';
import { isWriteScope, scopeLabel } from '../scopes.js';
import { authorizationQuery, repeatedQuery } from './authorization-query.js';
import type { ReadPushedRequest } from './pushed-request-query.js';
import type { RepeatedSignIn } from './repeated-sign-in.js';
import { readSignInDemands } from './sign-in-demands.js';

/** Handler of the operation `authorize`, which shows the consent screen. */
export class ConsentHandlers implements Pick<Handlers, 'authorize'> {
  readonly #endpoint: AuthorizationEndpoint;
  readonly #dependencies: SignInDependencies;

  constructor(endpoint: AuthorizationEndpoint, dependencies: SignInDependencies) {
    this.#endpoint = endpoint;
    this.#dependencies = dependencies;
  }

  /** @throws {Problem} see {@link AuthorizationEndpoint.prepare} */
  async authorize({ query, request }: Input<'authorize'>): Promise<Output<'authorize'>> {
    const parameters = query as AuthorizationParameters;
    const browserSession = await this.#dependencies.sessions.session(request);
    const { session, signInReturn } = acceptSession(request, parameters, browserSession, this.#dependencies);
    const step = await this.#endpoint.prepare(parameters, session?.user ?? null, auditOrigin(request));
    if (step.kind === 'consent' && session !== null) {
      const { csrfToken } = session;
      return {
        status: 200,
        headers: privatePageHeaders({ toApplication: true }),
        type: 'text/html',
        body: renderPage(
          <ConsentPage
            step={step}
            parameters={parameters}
            action={addressOf(request)}
            csrfToken={csrfToken}
          />,
        ),
      };
    }
    return {
      status: 302,
      headers: { ...privatePageHeaders(), location: locationOf(step, request, signInReturn) },
    };
  }
}

interface SignInDependencies extends Pick<Core, 'sessions' | 'clock'> {
  readonly repeatedSignIn: RepeatedSignIn;
}

/**
 * The session of the browser if its user has signed in as the request asks, and the URL to which a sign-in returns.
 *
 * @throws {Problem} 400 `invalid_request`
 */
function acceptSession(
  request: FastifyRequest,
  parameters: AuthorizationParameters,
  session: BrowserSession | null,
  { repeatedSignIn, clock }: SignInDependencies,
): { readonly session: BrowserSession | null; readonly signInReturn: string } {
  const { maximumAgeSeconds } = readSignInDemands(parameters);
  const address = addressOf(request);
  if (maximumAgeSeconds === null) return { session, signInReturn: address };
  const oldest = clock().getTime() - maximumAgeSeconds * 1000;
  const isRecent = maximumAgeSeconds > 0 && session !== null && session.authenticatedAt.getTime() >= oldest;
  const isAccepted = isRecent || (session !== null && repeatedSignIn.isDone(request.url, session));
  return { session: isAccepted ? session : null, signInReturn: repeatedSignIn.ask(address) };
}

/** Route of the consent form, which is submitted to the address of the consent screen. */
export async function consentForm(
  app: FastifyInstance,
  dependencies: Core &
    SignInDependencies & {
      readonly endpoint: AuthorizationEndpoint;
      readonly readPushedRequest: ReadPushedRequest;
    },
): Promise<void> {
  const { contract, endpoint, readPushedRequest, sessions, reauthentication, clock } = dependencies;
  const { path, options } = authorizationQuery(contract, readPushedRequest);
  app.post(
    path,
    {
      ...options,
      config: { page: true, recentPassword: ['write_scopes', 'grants an application access'] },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const browserSession = await sessions.session(request);
      // Without a session the response leads to the sign-in page, and back to the consent screen.
      if (browserSession !== null) sessions.verifyCsrf(request, browserSession);
      const { decision } = (request.body ?? {}) as Record<string, unknown>;
      if (!isDecision(decision)) throw invalidParameter('decision', violation('consent_decision'));
      const parameters = request.query as AuthorizationParameters;
      const { session, signInReturn } = acceptSession(request, parameters, browserSession, dependencies);
      const origin = auditOrigin(request);
      const step = await endpoint.prepare(parameters, session?.user ?? null, origin);
      reply.headers(privatePageHeaders());
      if (step.kind !== 'consent' || session === null)
        return reply.redirect(locationOf(step, request, signInReturn), 303);
      const allowed = decision !== 'deny';
      const { id: sessionId, user, csrfToken } = session;
      const form = new Fields(request.body);
      const { offered } = step.scopes;
      const selected = form.list('scope');
      const scopes =
        decision === 'allow_selected' ? offered.filter((scope) => selected.includes(scope)) : offered;
      if (allowed && scopes.length === 0) {
        const page = { step, parameters, action: addressOf(request), csrfToken, choosesNothing: true };
        return sendPage(reply.code(400), <ConsentPage {...page} />, { toApplication: true });
      }
      if (allowed && scopes.some(isWriteScope)) {
        const context = { accountId: user.accountId, userId: user.id, origin, at: clock() };
        const address = addressOf(request);
        const question = await withScope(accountScope(user.accountId), () =>
          narrowQuestion(reply, reauthentication, { session, form, context, address }),
        );
        if (question !== null) return sendPage(reply, question, { toApplication: true });
      }
      return reply.redirect(
        await endpoint.decide(parameters, step, { allowed, scopes, origin, sessionId }),
        303,
      );
    },
  );
}

/** The values of the buttons of the consent screen. */
const decisions = ['allow', 'allow_selected', 'deny'] as const;

function isDecision(value: unknown): value is (typeof decisions)[number] {
  return (decisions as readonly unknown[]).includes(value);
}

/** The address with which the browser repeats the request. */
function addressOf(request: FastifyRequest): string {
  return `${requestPath(request)}${repeatedQuery(request)}`;
}

function locationOf(step: AuthorizationStep, request: FastifyRequest, signInReturn: string): string {
  if (step.kind === 'redirect') return step.location;
  if (step.kind === 'approval') return `${approvalPath}${repeatedQuery(request)}`;
  // After signing in and after consent the browser repeats this request.
  return step.kind === 'sign_in' ? signInAddress(signInReturn) : addressOf(request);
}

function ConsentPage({
  step,
  parameters,
  action,
  csrfToken,
  choosesNothing = false,
}: {
  step: ConsentStep;
  parameters: AuthorizationParameters;
  action: string;
  csrfToken: string;
  /** Whether the form was submitted without a scope. */
  choosesNothing?: boolean;
}) {
  const { application, publisher, user, scopes } = step;
  return (
    <Layout title={`Authorize ${application.name}?`} narrow>
      <h1>
        Authorize <strong>{application.name}</strong> to access your account?
      </h1>
      {publisher !== null && <p>{describePublisher(publisher)}.</p>}
      {application.stage === 'development' && (
        <p class="warning">
          <strong>In development.</strong> This application may run on the computer of a developer. Allow it
          only if you are its developer or trust them.
        </p>
      )}
      <SignedInAs user={user} />
      <h2>The application will be able to</h2>
      <ScopeList scopes={scopes.offered} />
      {scopes.withheld.length > 0 && (
        <>
          <h2>Also requested</h2>
          <ScopeList scopes={scopes.withheld} />
          <p class="note">
            You don't have permission to grant these. An owner or administrator of your account can.
          </p>
        </>
      )}
      <form method="post" action={action}>
        <CsrfField token={csrfToken} />
        <div class="choices">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="secondary">
            Deny
          </button>
        </div>
      </form>
      {scopes.offered.length > 1 && (
        <details open={choosesNothing}>
          <summary>Allow only some of these</summary>
          <form method="post" action={action}>
            <CsrfField token={csrfToken} />
            {choosesNothing && (
              <p class="alert" role="alert">
                Select at least one, or choose Deny.
              </p>
            )}
            <fieldset>
              <legend>The application may</legend>
              <ScopeChoices
                name="scope"
                scopes={scopes.offered}
                selected={choosesNothing ? [] : scopes.offered}
              />
            </fieldset>
            <button type="submit" name="decision" value="allow_selected" class="secondary">
              Allow the selected
            </button>
          </form>
        </details>
      )}
      <p class="note">
        You will be redirected to <code>{new URL(parameters.redirect_uri).host}</code>.
      </p>
      <form method="post" action="/sign_out">
        <CsrfField token={csrfToken} />
        <button type="submit" class="outline secondary">
          Not you? Sign out
        </button>
      </form>
    </Layout>
  );
}

function ScopeList({ scopes }: { scopes: readonly string[] }) {
  return (
    <ul>
      {scopes.map((scope) => (
        <li key={scope}>
          {scopeLabel(scope)} <code>{scope}</code>
        </li>
      ))}
    </ul>
  );
}
