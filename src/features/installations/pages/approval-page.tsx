import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationEndpoint, AuthorizationStep } from '../../../oauth/authorization-endpoint.js';
import type { AuthorizationParameters } from '../../../oauth/authorization-request.js';
import { authorizationQuery, repeatedQuery } from '../../../oauth/consent/authorization-query.js';
import type { ReadPushedRequest } from '../../../oauth/consent/pushed-request-query.js';
import { parseScope } from '../../../oauth/scopes.js';
import type { Core } from '../../../platform/core.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import type { BrowserSession } from '../../../platform/http/browser-sessions.js';
import { auditOrigin } from '../../../platform/http/principal.js';
import { narrowQuestion } from '../../../platform/pages/confirm-password.js';
import { Fields } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { sendPage } from '../../../platform/pages/layout.js';
import { applicationAddress, approvalPath, settings, signInAddress } from '../../../platform/pages/paths.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import { mayApprove, type Selection } from '../approvals.js';
import {
  type ApprovalPagesDependencies,
  type Candidate,
  initialSelection,
  isForbidden,
  readApproval,
} from './approval-form.js';
import { ApprovalPage, NotAllowedPage, RequestPage } from './approval-views.js';

/** What the page needs to which an authorization request redirects. */
interface ApprovalRoutesDependencies extends Core, ApprovalPagesDependencies {
  readonly endpoint: AuthorizationEndpoint;
  readonly readPushedRequest: ReadPushedRequest;
}

/** An authorization request of a signed-in user for an application that the account must approve. */
interface PendingRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly session: BrowserSession;
  readonly candidate: Candidate;
  /** The requested scopes that the application can have. */
  readonly requested: readonly string[];
  /** Address of the authorization request. */
  readonly authorization: string;
}

/** Responds within the tenant of the user. */
type Handle = (pending: PendingRequest) => Promise<FastifyReply>;

/** The page to which an authorization request redirects when the account must approve the application, and its form. */
export async function approvalPages(
  app: FastifyInstance,
  dependencies: ApprovalRoutesDependencies,
): Promise<void> {
  const {
    contract,
    endpoint,
    readPushedRequest,
    sessions,
    reauthentication,
    clock,
    approvals,
    approvalMails,
    readCustomAttributes,
  } = dependencies;
  const { canSendMail } = dependencies.delivery;
  const { path, options } = authorizationQuery(contract, readPushedRequest);

  const serve = async (request: FastifyRequest, reply: FastifyReply, handle: Handle) => {
    const session = await sessions.session(request);
    reply.headers(privatePageHeaders());
    const authorization = `${path}${repeatedQuery(request)}`;
    // After signing in, the authorization request redirects to this page again.
    if (session === null) return reply.redirect(signInAddress(authorization), 303);
    if (request.method === 'POST') sessions.verifyCsrf(request, session);
    const parameters = request.query as AuthorizationParameters;
    const step: AuthorizationStep = await endpoint.prepare(parameters, session.user, auditOrigin(request));
    if (step.kind !== 'approval') return reply.redirect(authorization, 303);
    const names = parseScope(parameters.scope);
    const requested = step.client.scopes.filter((scope) => names.includes(scope));
    const { accountId } = session.user;
    return withScope(accountScope(accountId), async () => {
      const candidate = { ...step, custom: await readCustomAttributes(accountId) };
      return handle({ request, reply, session, candidate, requested, authorization });
    });
  };

  const show = async (
    { request, reply, session, candidate, requested, authorization }: PendingRequest,
    {
      selected = initialSelection(candidate, requested),
      errors,
    }: { selected?: Selection; errors?: FormError[] } = {},
  ) => {
    const { user, csrfToken } = session;
    const { accountId, id: userId } = user;
    const page = {
      ...{ candidate, user, authorization },
      form: { csrfToken, path: request.url, errors },
    };
    // The form leads to the authorization request, which can lead to the application.
    const permissions = { toApplication: true };
    const policy = await approvals.policy(accountId);
    if (policy === 'none' || (policy === 'administrators' && !mayApprove(user.role)))
      return sendPage(reply, <NotAllowedPage {...page} policy={policy} />, permissions);
    if (mayApprove(user.role)) {
      const { installation } = candidate;
      const cancel = installation === null ? settings.applications : applicationAddress(installation.id);
      const status = errors === undefined ? 200 : 400;
      const forbidden = await isForbidden(dependencies, accountId, candidate.client);
      const approval = <ApprovalPage {...page} {...{ forbidden, selected, cancel }} />;
      return sendPage(reply.code(status), approval, permissions);
    }
    const sent = await approvals.requestOf({ accountId, userId }, candidate.client.clientId);
    return sendPage(reply, <RequestPage {...page} {...{ requested, sent, canSendMail }} />, permissions);
  };

  const contextOf = ({ request, session: { user } }: PendingRequest) => ({
    accountId: user.accountId,
    userId: user.id,
    origin: auditOrigin(request),
    at: clock(),
  });

  /** Stores the request of the user. The page then shows its state. */
  const ask = async (pending: PendingRequest) => {
    const { request, reply, session, requested } = pending;
    const { client } = pending.candidate;
    const context = contextOf(pending);
    const outcome = await approvals.request(context, { client, scopes: requested });
    if (outcome.kind === 'requested' && outcome.isFirst)
      approvalMails.requested(context, { name: client.name, email: session.user.email });
    return reply.redirect(request.url, 303);
  };

  const approve = async (pending: PendingRequest) => {
    const { request, reply, session, candidate, authorization } = pending;
    const { client } = candidate;
    const form = new Fields(request.body);
    const { selection, errors } = readApproval(form, candidate);
    if (errors.length > 0) return show(pending, { selected: selection, errors });
    const context = contextOf(pending);
    const address = request.url;
    const question = await narrowQuestion(reply, reauthentication, { session, form, context, address });
    if (question !== null) return sendPage(reply, question, { toApplication: true });
    const outcome = await approvals.approve(context, { client, ...selection });
    // The policy has changed. The page says so.
    if (outcome.kind === 'forbidden') return reply.redirect(request.url, 303);
    const { requesters } = outcome;
    approvalMails.decided(context, { name: client.name, isApproved: true, requesters });
    return reply.redirect(authorization, 303);
  };

  app.addHook('onClose', () => approvalMails.settled());
  app.get(approvalPath, { ...options, config: { page: true } }, (request, reply) =>
    serve(request, reply, (pending) => show(pending)),
  );
  app.post(
    approvalPath,
    { ...options, config: { page: true, recentPassword: ['approval', 'approves an application'] } },
    (request, reply) =>
      serve(request, reply, async (pending) => {
        const decision = new Fields(request.body).text('decision');
        const isAdministrator = mayApprove(pending.session.user.role);
        if (decision === 'approve' && isAdministrator) return approve(pending);
        if (decision === 'request' && !isAdministrator) return ask(pending);
        // The role has changed while the page was open. The page shows what the user can do now.
        return reply.redirect(request.url, 303);
      }),
  );
}
