import { createAuditLog } from './features/audit-log/index.js';
import { createEmployees } from './features/employees/index.js';
import { createEventHandlers } from './features/events/index.js';
import { createHome } from './features/home/index.js';
import { createImports } from './features/imports/index.js';
import type { UploadWorker } from './features/imports/uploads/upload-worker.js';
import { createInstallations } from './features/installations/index.js';
import { createOAuthClients } from './features/oauth-clients/index.js';
import { createProfiles } from './features/profile/index.js';
import { createReports } from './features/reports/index.js';
import { createSecondFactors } from './features/second-factors/index.js';
import { createSignIn } from './features/sign-in/index.js';
import { createSingleSignOn } from './features/single-sign-on/index.js';
import { createUsage } from './features/usage/index.js';
import { createUsers } from './features/users/index.js';
import { createWebhooks } from './features/webhooks/index.js';
import { createAuthorizationServer } from './oauth/authorization-server.js';
import type { SigningKeys } from './oauth/keys/signing-keys.js';
import { type CoreOptions, createCore } from './platform/core.js';
import { mergeHandlers } from './platform/http/binding/handlers.js';
import { bodyLimitBytes } from './platform/http/connections.js';
import type { Logger } from './platform/logger.js';

export interface ServiceDependencies extends CoreOptions {
  readonly signingKeys: SigningKeys;
  /** Runs imports of uploaded files; stopped by its owner. */
  readonly uploadWorker: UploadWorker;
}

/** Creates the features, and what their routes get. */
export async function composeServices(dependencies: ServiceDependencies, logger: Logger) {
  const core = await createCore(dependencies, logger);
  const { config, contract } = core;
  const { baseUrl } = config;
  const authorizationServer = createAuthorizationServer(core, dependencies.signingKeys);
  const { clients, installations, authorizationEndpoint: endpoint, grants } = authorizationServer;
  const { pushedRequests, readPushedRequest, repeatedSignIn } = authorizationServer;
  const { handlers: employeeHandlers, ...employees } = createEmployees(core);
  const { handlers: reportHandlers, ...reports } = createReports(core);
  const { handlers: profileHandlers, userInfoHandlers, ...profiles } = createProfiles(core);
  const users = createUsers(core);
  const secondFactors = createSecondFactors(core);
  const signIn = createSignIn(core, secondFactors);
  const singleSignOn = createSingleSignOn(core);
  const auditLog = createAuditLog(core);
  const oauthClients = createOAuthClients(core);
  const { developmentPolicy } = oauthClients;
  const { readCustomAttributes } = employees;
  const approval = {
    ...createInstallations(core),
    ...{ clients, installations, developmentPolicy, readCustomAttributes },
  };
  const { handlers: webhookHandlers, ...webhooks } = createWebhooks(core);

  return {
    core,
    authorizationServer,
    handlers: mergeHandlers(
      authorizationServer.handlers,
      authorizationServer.consentHandlers,
      authorizationServer.logoutHandlers,
      employeeHandlers,
      createEventHandlers(core),
      webhookHandlers,
      ...reportHandlers,
      profileHandlers,
      userInfoHandlers,
    ),
    consent: { ...core, endpoint, readPushedRequest, repeatedSignIn },
    logout: { ...core, endpoint: authorizationServer.logoutEndpoint },
    approval: { ...core, ...approval, endpoint, readPushedRequest },
    apiConsole: { clients, config },
    signIn: { ...core, ...secondFactors, ...signIn, clients, pushedRequests, repeatedSignIn, baseUrl },
    singleSignOn: { ...core, ...singleSignOn, pushedRequests, baseUrl },
    links: { ...core, ...users, knownBrowsers: signIn.knownBrowsers },
    people: {
      ...core,
      ...employees,
      ...createImports(core, dependencies.uploadWorker),
      ...reports,
      ...profiles,
      ...users,
      ...secondFactors,
      ...singleSignOn,
      ...oauthClients,
      ...approval,
      ...createUsage(core),
      ...webhooks,
      ...auditLog,
      ...createHome(core, auditLog),
      grants,
      baseUrl,
      scopes: contract.scopes,
      problems: contract.problems,
      operationSummaries: new Map([...contract.operations.values()].map(({ id, summary }) => [id, summary])),
      limits: { configured: config, reports: core.reportLimits, bodyBytes: bodyLimitBytes },
    },
  };
}
