import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import { composeServices, type ServiceDependencies } from './composition.js';
import { consolePages } from './features/documentation/console.js';
import { createWithBaseUrl, documentRoutes } from './features/documentation/documents.js';
import { searchRoute } from './features/documentation/search.js';
import { wellKnownRoutes } from './features/documentation/well-known.js';
import { approvalPages } from './features/installations/pages/approval-page.js';
import { mcpRoutes } from './features/mcp/routes.js';
import { secondFactorStepPages } from './features/sign-in/pages/second-factor.js';
import { signInPages } from './features/sign-in/pages/sign-in.js';
import { singleSignOnPages } from './features/single-sign-on/pages/sign-in.js';
import type { UsageRecorder } from './features/usage/usage-recorder.js';
import { linkPages } from './features/users/pages/links/link-pages.js';
import { consentForm } from './oauth/consent/consent.js';
import { logoutForm } from './oauth/logout/logout-pages.js';
import { registerPeoplePages, settingsPages } from './pages.js';
import { DatabaseCheck } from './platform/database/database-check.js';
import { noAccount, withScope } from './platform/database/scope.js';
import { bindContract, type ContractRoutes } from './platform/http/binding/bind.js';
import { schemaCompilers } from './platform/http/binding/schema-compilers.js';
import {
  bodyLimitBytes,
  closeIdleConnections,
  closePipelinedResponses,
  connectionLimits,
  createConnectionErrorHandler,
  headerLimits,
  type IdleLimits,
  idleLimits,
} from './platform/http/connections.js';
import { allowAnyOrigin, allowCrossOrigin, preflightRoutes } from './platform/http/cors.js';
import {
  createAllowedMethods,
  createErrorHandler,
  createProblemSender,
  routeNotFound,
} from './platform/http/error-handler.js';
import { parseForm } from './platform/http/form-parser.js';
import { closeConnectionsAtTheEnd, healthRoutes } from './platform/http/lifecycle.js';
import {
  checkRequestHead,
  cleanForwardedFor,
  originForm,
  requestIdFor,
  requestIdHeader,
} from './platform/http/request-head.js';
import {
  defaultRequestQueueLimits,
  RequestQueue,
  type RequestQueueLimits,
} from './platform/http/request-queue.js';
import { RequestLog, type RequestObserver, RequestWatch } from './platform/observability/request-watch.js';
import { assetRoutes } from './platform/pages/assets.js';
import { sendProblemPage } from './platform/pages/problem-page.js';

interface AppDependencies extends ServiceDependencies {
  readonly usage: UsageRecorder;
  readonly logger: FastifyBaseLogger | false;
  /** Default: those of a production server. */
  readonly requestQueueLimits?: RequestQueueLimits;
  /** Observers of requests, in addition to the log. */
  readonly observers?: readonly RequestObserver[];
  /** Default: the documented limits. Tests use shorter ones. */
  readonly idleLimits?: IdleLimits;
  /** Default: derived from the contract for this application. */
  readonly routes?: ContractRoutes | undefined;
}

/** Maximum characters of a path parameter. Longer than any id, so that a long id is an unknown record and not an unknown route. */
const maximumParameterLength = 16 * 1024;

/**
 * Composes the server without listening.
 *
 * @throws {Error} when contract and handlers differ
 */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, contract, clock, usage, logger, lifecycle, observers = [] } = dependencies;
  const sendProblem = createProblemSender(contract.problems, config.errorsUrl, (reply, document, context) =>
    sendProblemPage(reply, document, context, settingsPages),
  );
  const handleError = createErrorHandler(sendProblem);
  const requestWatch = new RequestWatch([
    ...(logger === false ? [] : [new RequestLog(logger, config)]),
    usage,
    ...observers,
  ]);
  const https = config.baseUrl.startsWith('https://');
  const requireHttps = (reply: FastifyReply) => {
    if (https) reply.header('strict-transport-security', 'max-age=31536000');
  };
  const app = fastify({
    ...(logger === false ? { logger } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: bodyLimitBytes,
    // Called before Fastify reads the headers.
    rewriteUrl: ({ url = '/', headers }) => {
      if (config.trustedProxies.length > 0) cleanForwardedFor(headers);
      return originForm(url);
    },
    // With an empty list Fastify would trust all proxies.
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
    requestIdHeader: false,
    genReqId: requestIdFor,
    // Requests on open connections are served while the server closes. Fastify would respond with an empty 503.
    return503OnClosing: false,
    ...connectionLimits,
    http: { requireHostHeader: false, ...headerLimits },
    schemaController: { compilersFactory: schemaCompilers },
    routerOptions: { maxParamLength: maximumParameterLength },
    clientErrorHandler: createConnectionErrorHandler(contract.problems, config.errorsUrl),
    // Paths that are not percent-encoded UTF-8, for which no hook runs.
    frameworkErrors: requestWatch.including((error, request, reply) => {
      requireHttps(reply);
      allowAnyOrigin(reply);
      return handleError(error, request, reply);
    }),
  });
  requestWatch.attach(app);
  app.decorateRequest('signedIn', null);
  // No DELETE operation has a body. Some generated clients still send one, or a content type.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  const allowedMethods = createAllowedMethods(contract);

  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    requireHttps(reply);
    allowCrossOrigin(request, reply);
    checkRequestHead(request);
    // Before the body is parsed: an unknown route has precedence over all other errors.
    if (request.is404) sendProblem(routeNotFound(request, allowedMethods), request, reply);
    else done();
  });
  closePipelinedResponses(app);
  if (lifecycle !== undefined) closeConnectionsAtTheEnd(app, lifecycle);
  app.server.maxConnections = config.maxConnections;
  // By default Node.js drops headers after the thousandth, such as a second Authorization. Their size is limited anyway.
  app.server.maxHeadersCount = 0;
  closeIdleConnections(app.server, dependencies.idleLimits ?? idleLimits);
  // No account by default. The binding of operations and the pages set the scope of row-level security.
  app.addHook('onRoute', (route) => {
    const { handler, config } = route;
    if (config?.operation !== undefined) return;
    route.handler = function scoped(request, reply) {
      return withScope(noAccount, () => handler.call(this, request, reply));
    };
  });
  app.setErrorHandler(handleError);
  app.setNotFoundHandler((request, reply) =>
    sendProblem(routeNotFound(request, allowedMethods), request, reply),
  );
  app.removeContentTypeParser('text/plain');
  // Unknown values of the Expect header are ignored, like unknown headers.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const {
    core,
    authorizationServer,
    handlers,
    apiConsole,
    signIn,
    singleSignOn,
    links,
    consent,
    logout,
    approval,
    people,
  } = await composeServices(dependencies, app.log);
  const { authenticate, authenticateMcp, publicLimits, lastUseRecorder } = authorizationServer;
  const { counters, securityEmails, auditedExports } = core;
  await app.register(cookie);
  await app.register(formbody, { bodyLimit: bodyLimitBytes, parser: (text) => parseForm(text) });

  await app.register(healthRoutes, {
    databaseCheck: new DatabaseCheck(core.database),
    ...(lifecycle !== undefined && { lifecycle }),
  });
  const withBaseUrl = createWithBaseUrl(contract, config);
  await app.register(documentRoutes, { withBaseUrl, apiContactUrl: config.apiContactUrl });
  await app.register(searchRoute, { withBaseUrl });
  await app.register(wellKnownRoutes, { ...config, clock });
  app.addHook('onReady', () => counters.open());
  app.addHook('onClose', async () => {
    await lastUseRecorder.settled();
    await links.passwordLinks.settled();
    await securityEmails.settled();
    await auditedExports.settled();
    await usage.flush().catch((err) => app.log.warn({ err }, 'storing usage failed during shutdown'));
    counters.close();
  });
  await app.register(assetRoutes);
  await app.register(consolePages, apiConsole);
  await app.register(signInPages, signIn);
  await app.register(singleSignOnPages, singleSignOn);
  await app.register(secondFactorStepPages, signIn);
  await app.register(linkPages, links);
  await app.register(consentForm, consent);
  await app.register(logoutForm, logout);
  await app.register(approvalPages, approval);
  await app.register(registerPeoplePages, people);
  await app.register(preflightRoutes, { contract });
  await app.register(mcpRoutes, { contract, withBaseUrl, authenticate: authenticateMcp, config });
  const queue = new RequestQueue(dependencies.requestQueueLimits ?? defaultRequestQueueLimits);
  await bindContract(app, {
    contract,
    handlers,
    routes: dependencies.routes,
    authenticate,
    publicRateLimiter: publicLimits,
    queue,
    beforeValidation: { authorize: authorizationServer.readPushedRequest },
  });
  return app;
}
