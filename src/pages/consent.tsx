import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Contract, Operation } from '../contract/contract.js';
import { auditOrigin } from '../http/audit-origin.js';
import type { Handlers, Input, Output } from '../http/binding/handlers.js';
import { createGuard } from '../http/binding/request-syntax.js';
import type { BrowserSessions } from '../http/browser-sessions.js';
import type {
  AuthorizationEndpoint,
  AuthorizationStep,
} from '../oauth/authorization/authorization-endpoint.js';
import type { AuthorizationParameters } from '../oauth/authorization/authorization-request.js';
import { invalidParameter } from '../problems/problem.js';
import { CsrfField, Layout, renderPage } from './layout.js';
import { scopeLabel } from './scope-labels.js';
import { privatePageHeaders } from './security-headers.js';

type ConsentStep = Extract<AuthorizationStep, { kind: 'consent' }>;

/** The consent page: shown by the contract's operation, answered by its form. */
export class ConsentHandlers implements Pick<Handlers, 'authorize'> {
  readonly #endpoint: AuthorizationEndpoint;
  readonly #sessions: BrowserSessions;

  constructor(endpoint: AuthorizationEndpoint, sessions: BrowserSessions) {
    this.#endpoint = endpoint;
    this.#sessions = sessions;
  }

  /** @throws {Problem} see {@link AuthorizationEndpoint.prepare} */
  async authorize({ query, request, reply }: Input<'authorize'>): Promise<Output<'authorize'>> {
    const step = await this.#endpoint.prepare(query, await this.#sessions.user(request));
    if (step.kind === 'consent') {
      const csrfToken = this.#sessions.csrfToken(request, reply);
      return {
        status: 200,
        headers: privatePageHeaders([new URL(query.redirect_uri).origin]),
        type: 'text/html',
        body: renderPage(
          <ConsentPage step={step} parameters={query} action={request.url} csrfToken={csrfToken} />,
        ),
      };
    }
    return { status: 302, headers: { ...privatePageHeaders(), location: locationOf(step, request) } };
  }
}

/**
 * The form of the consent page comes back to the address that it was shown at, so its parameters are judged by
 * the same schemas as those of the operation.
 */
export async function consentForm(
  app: FastifyInstance,
  {
    contract,
    endpoint,
    sessions,
  }: { contract: Contract; endpoint: AuthorizationEndpoint; sessions: BrowserSessions },
): Promise<void> {
  const operation = contract.operations.get('authorize');
  if (operation === undefined) throw new Error('The contract has no operation authorize');
  const guard = createGuard(operation);

  app.post(
    operation.path,
    {
      config: { page: true },
      schema: { querystring: querySchema(operation) },
      preValidation: async (request) => guard(request),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      sessions.verifyCsrf(request);
      const { decision } = (request.body ?? {}) as Record<string, unknown>;
      if (decision !== 'allow' && decision !== 'deny')
        throw invalidParameter('decision', 'must be allow or deny');
      const step = await endpoint.decide(
        request.query as AuthorizationParameters,
        await sessions.user(request),
        {
          allowed: decision === 'allow',
          origin: auditOrigin(request),
        },
      );
      return reply.headers(privatePageHeaders()).redirect(locationOf(step, request), 303);
    },
  );
}

function locationOf(step: AuthorizationStep, { url }: FastifyRequest): string {
  if (step.kind === 'redirect') return step.location;
  // Signing in leads back to this very request; the consent page does too.
  return step.kind === 'sign_in' ? `/sign_in?return_to=${encodeURIComponent(url)}` : url;
}

function querySchema({ queryParameters }: Operation) {
  const parameters = [...queryParameters.values()];
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

function ConsentPage({
  step,
  parameters,
  action,
  csrfToken,
}: {
  step: ConsentStep;
  parameters: AuthorizationParameters;
  action: string;
  csrfToken: string;
}) {
  const { application, user, scopes } = step;
  return (
    <Layout title={`Allow ${application.name}?`} narrow>
      <h1>
        Allow <strong>{application.name}</strong> to use your account?
      </h1>
      <dl class="account">
        <dt>Account</dt>
        <dd>{user.accountName}</dd>
        <dt>Signed in as</dt>
        <dd>{user.email}</dd>
      </dl>
      <h2>It will be able to</h2>
      <ScopeList scopes={scopes.offered} />
      {scopes.withheld.length > 0 && (
        <>
          <h2>It also asked for</h2>
          <ScopeList scopes={scopes.withheld} />
          <p class="note">
            These are not yours to give and are left out. An owner or administrator can give them.
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
      <p class="note">
        Either way you are sent on to <code>{new URL(parameters.redirect_uri).host}</code>.
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
