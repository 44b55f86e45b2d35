import { AuditLogExports } from './features/audit-log/audit-log-exports.js';
import { AuditLogReader } from './features/audit-log/audit-log-reader.js';
import { createEmployees } from './features/employees/index.js';
import { createEventHandlers } from './features/events/index.js';
import { EmployeeUploads } from './features/imports/uploads/employee-uploads.js';
import { UploadSteps } from './features/imports/uploads/upload-steps.js';
import type { UploadWorker } from './features/imports/uploads/upload-worker.js';
import { ClientSecrets } from './features/oauth-clients/client-secrets.js';
import { OAuthApplications } from './features/oauth-clients/oauth-applications.js';
import { createProfiles } from './features/profile/index.js';
import { createReports } from './features/reports/index.js';
import { createSecondFactors } from './features/second-factors/index.js';
import { PasskeySignIn } from './features/sign-in/passkey-sign-in.js';
import { SignIn } from './features/sign-in/sign-in.js';
import { TrustedDevices } from './features/sign-in/trusted-devices.js';
import { createSingleSignOn } from './features/single-sign-on/index.js';
import { UsageReader } from './features/usage/usage-reader.js';
import { createUsers } from './features/users/index.js';
import { createWebhooks } from './features/webhooks/index.js';
import { createAuthorizationServer } from './oauth/authorization-server.js';
import type { SigningKeys } from './oauth/keys/signing-keys.js';
import { type CoreOptions, createCore } from './platform/core.js';
import { mergeHandlers } from './platform/http/binding/handlers.js';
import { bodyLimitBytes } from './platform/http/connections.js';
import type { CounterLogger } from './platform/limits/redis-counters.js';

/** Dependencies of the services. */
export interface ServiceDependencies extends CoreOptions {
  readonly signingKeys: SigningKeys;
  /** Runs imports of uploaded files; stopped by its owner. */
  readonly uploadWorker: UploadWorker;
}

/** Creates the services of the routes. */
export function composeServices(dependencies: ServiceDependencies, logger: CounterLogger) {
  const { signingKeys, uploadWorker } = dependencies;
  const core = createCore(dependencies, logger);
  const { config, contract, database, clock, appSecrets } = core;
  const { baseUrl } = config;
  const authorizationServer = createAuthorizationServer(core, signingKeys);
  const { applications, authorizationEndpoint: endpoint } = authorizationServer;
  const employees = createEmployees(core);
  const reports = createReports(core);
  const profiles = createProfiles(core);
  const users = createUsers(core);
  const secondFactors = createSecondFactors(core);
  const singleSignOn = createSingleSignOn(core);
  const webhooks = createWebhooks(core);
  const auditLog = new AuditLogReader(database);

  return {
    core,
    authorizationServer,
    handlers: mergeHandlers(
      authorizationServer.handlers,
      authorizationServer.consentHandlers,
      employees.handlers,
      createEventHandlers(core),
      webhooks.handlers,
      ...reports.handlers,
      profiles.handlers,
    ),
    consent: { ...core, endpoint },
    apiConsole: { applications, settings: config },
    signIn: {
      ...core,
      ...secondFactors,
      applications,
      baseUrl,
      signIn: new SignIn({ ...core, sessions: core.userSessions }),
      passkeySignIn: new PasskeySignIn({
        ...core,
        sessions: core.userSessions,
        passkeys: secondFactors.passkeys,
      }),
      trustedDevices: new TrustedDevices({ appSecrets, baseUrl, clock }),
    },
    singleSignOn: { ...core, ...singleSignOn, baseUrl },
    links: { ...core, ...users },
    people: {
      ...core,
      ...employees,
      ...reports,
      ...profiles,
      ...users,
      ...secondFactors,
      ...singleSignOn,
      ...webhooks,
      uploads: new EmployeeUploads(database),
      uploadSteps: new UploadSteps(database),
      wakeImports: () => uploadWorker.wake(),
      applications: new OAuthApplications(database),
      clientSecrets: new ClientSecrets(database),
      grants: authorizationServer.grants,
      auditLog,
      auditLogExports: new AuditLogExports(core.exports, auditLog),
      usage: new UsageReader(database),
      baseUrl,
      production: config.production,
      scopes: contract.scopes,
      problems: contract.problems,
      limits: { configured: config, reports: core.reportLimits, bodyBytes: bodyLimitBytes },
    },
  };
}
