import { AuditLogExports } from './features/audit-log/audit-log-exports.js';
import { AuditLogReader } from './features/audit-log/audit-log-reader.js';
import type { ConsoleDependencies } from './features/documentation/console.js';
import { Directory } from './features/employees/directory.js';
import { EmployeeChanges } from './features/employees/employee-changes.js';
import { createEmployeeCheck } from './features/employees/employee-check.js';
import { EmployeeHandlers } from './features/employees/employee-handlers.js';
import { Employees } from './features/employees/employees.js';
import { EventFeed } from './features/events/event-feed.js';
import { EventHandlers } from './features/events/event-handlers.js';
import { EmployeeUploads } from './features/imports/uploads/employee-uploads.js';
import { UploadSteps } from './features/imports/uploads/upload-steps.js';
import type { UploadWorker } from './features/imports/uploads/upload-worker.js';
import { ClientSecrets } from './features/oauth-clients/client-secrets.js';
import { OAuthApplications } from './features/oauth-clients/oauth-applications.js';
import { createProfileValidator } from './features/profile/pages/profile.js';
import { UserHandlers } from './features/profile/profile-handlers.js';
import { Profiles } from './features/profile/profiles.js';
import { createReportValidator } from './features/reports/pages/report-validator.js';
import { ReportCreators } from './features/reports/report-creators.js';
import { ReportHandlers } from './features/reports/report-handlers.js';
import { ReportResultHandlers } from './features/reports/report-result-handlers.js';
import { ReportRuns } from './features/reports/report-runs.js';
import { Reports } from './features/reports/reports.js';
import { ReportCharts } from './features/reports/results/report-charts.js';
import { ReportExports, ReportResults } from './features/reports/results/report-results.js';
import { composeSecondFactors } from './features/second-factors/compose.js';
import { SecondFactorPolicies } from './features/second-factors/second-factor-policy.js';
import type { SignInDependencies } from './features/sign-in/pages/sign-in.js';
import { PasskeySignIn } from './features/sign-in/passkey-sign-in.js';
import { SignIn } from './features/sign-in/sign-in.js';
import { TrustedDevices } from './features/sign-in/trusted-devices.js';
import { composeSingleSignOn } from './features/single-sign-on/compose.js';
import type { SingleSignOnPagesDependencies } from './features/single-sign-on/pages/callback.js';
import { SsoStateCookie } from './features/single-sign-on/sso-state-cookie.js';
import { UsageReader } from './features/usage/usage-reader.js';
import { composeUserServices } from './features/users/links/compose.js';
import { OwnAccount } from './features/users/own-account.js';
import type { LinkPagesDependencies } from './features/users/pages/links/routes.js';
import { UserAdministration } from './features/users/user-administration.js';
import { composeWebhooks } from './features/webhooks/compose.js';
import { WebhookEndpointHandlers } from './features/webhooks/webhook-endpoint-handlers.js';
import { createAuthenticate } from './oauth/authentication.js';
import { ClientRegistry } from './oauth/clients/client-registry.js';
import { SecretUse } from './oauth/clients/secret-use.js';
import { composeAuthorizationServer } from './oauth/compose.js';
import { type ConsentFormDependencies, ConsentHandlers } from './oauth/consent/consent.js';
import { AuthorizationCodes } from './oauth/grants/authorization-codes.js';
import { Grants } from './oauth/grants/grants.js';
import type { SigningKeys } from './oauth/keys/signing-keys.js';
import { authorizationServerMetadata } from './oauth/metadata.js';
import { OAuthHandlers } from './oauth/oauth-handlers.js';
import { createRequestLimits } from './oauth/public-limits.js';
import { AccessTokenRevocations } from './oauth/tokens/access-token-revocations.js';
import { RefreshTokens } from './oauth/tokens/refresh-tokens.js';
import { TokenStatus } from './oauth/tokens/token-status.js';
import type { PeoplePagesDependencies } from './people-pages.js';
import { Passwords } from './platform/accounts/passwords.js';
import { Sessions } from './platform/accounts/sessions.js';
import { Users } from './platform/accounts/users.js';
import { AuditLog } from './platform/audit/audit-log.js';
import { AuditedExports } from './platform/audit/audited-exports.js';
import type { Clock } from './platform/clock.js';
import type { Config } from './platform/config/config.js';
import type { Contract } from './platform/contract/contract.js';
import type { AppSecrets } from './platform/crypto/keyring.js';
import type { Database, ReadDatabase } from './platform/database/client.js';
import { DatabaseCheck } from './platform/database/database-check.js';
import type { Authenticate, PublicRateLimiter } from './platform/http/binding/bind.js';
import { type Handlers, mergeHandlers } from './platform/http/binding/handlers.js';
import { BrowserSessions } from './platform/http/browser-sessions.js';
import { bodyLimitBytes } from './platform/http/connections.js';
import { CsvDownloads } from './platform/http/csv-downloads.js';
import { createLifecycle, type Lifecycle } from './platform/http/lifecycle.js';
import {
  defaultReportLimits,
  ReportConcurrency,
  type ReportLimits,
} from './platform/http/report-concurrency.js';
import { Idempotency } from './platform/idempotency/idempotency.js';
import type { Counters } from './platform/limits/counter.js';
import { FailureLimit } from './platform/limits/failure-limit.js';
import { type CounterLogger, createCounters } from './platform/limits/redis-counters.js';
import { createSecurityNotices, type SecurityNotices } from './platform/mail/security-notices.js';

/** Dependencies of the services. */
export interface ServiceDependencies {
  readonly config: Config;
  readonly contract: Contract;
  readonly database: Database;
  /** Where employees, reports and results are read. Default: the database. */
  readonly reads?: ReadDatabase;
  readonly signingKeys: SigningKeys;
  /** Secrets that sign cookies and forms. */
  readonly appSecrets: AppSecrets;
  readonly clock: Clock;
  /** Runs imports of uploaded files; stopped by its owner. */
  readonly uploadWorker: UploadWorker;
  /** Default: a process that does not shut down. */
  readonly lifecycle?: Lifecycle;
  /** Default: the limits of the contract. */
  readonly reportLimits?: ReportLimits;
  /** Default: the limits of {@link Passwords}. */
  readonly passwords?: Passwords;
}

/** Services of the routes. */
export interface Composition {
  readonly handlers: Handlers;
  readonly authenticate: Authenticate;
  readonly publicRateLimiter: PublicRateLimiter;
  readonly counters: Counters;
  readonly consent: ConsentFormDependencies;
  readonly apiConsole: ConsoleDependencies;
  readonly signIn: SignInDependencies;
  readonly singleSignOn: SingleSignOnPagesDependencies;
  readonly links: LinkPagesDependencies;
  readonly people: PeoplePagesDependencies;
  readonly secretUse: SecretUse;
  readonly notices: SecurityNotices;
  readonly exports: AuditedExports;
  readonly databaseCheck: DatabaseCheck;
}

/** Creates the services with their dependencies. */
export function composeServices(dependencies: ServiceDependencies, log: CounterLogger): Composition {
  const { config, contract, database, signingKeys, clock, appSecrets, uploadWorker } = dependencies;
  const {
    reads = database,
    lifecycle = createLifecycle(),
    reportLimits = defaultReportLimits,
    passwords = new Passwords(),
  } = dependencies;
  const { baseUrl } = config;
  const applications = new ClientRegistry(database);
  const auditLog = new AuditLog(database, clock);
  const secretUse = new SecretUse(database, clock, log);
  const employees = new Employees(reads);
  const profiles = new Profiles(database);
  const reportResults = new ReportResults(reads);
  const exports = new AuditedExports(database);
  const reportExports = new ReportExports(exports, reportResults);
  const slots = new ReportConcurrency(reportLimits);
  const reportRuns = new ReportRuns(slots);
  const downloads = new CsvDownloads(slots, { limits: reportLimits, cutOff: lifecycle.cutOff.signal });
  const auditLogReader = new AuditLogReader(database);
  const counters = createCounters(database, { redisUrl: config.redisUrl, baseUrl, logger: log });
  const failureLimit = new FailureLimit(counters.failures, config.rateLimitFailures);
  const { api, publicLimits } = createRequestLimits(config, counters);
  const userSessions = new Sessions(database, clock);
  const sessions = new BrowserSessions(userSessions, { appSecrets, baseUrl });
  const grants = new Grants(database);
  const users = new Users(database);
  const notices = createSecurityNotices(database, { config, clock, logger: log });
  const userServices = composeUserServices({
    config,
    database,
    clock,
    log,
    users,
    passwords,
    userSessions,
    auditLog,
    failureLimit,
    notices,
  });
  const singleSignOn = composeSingleSignOn({
    config,
    database,
    clock,
    appSecrets,
    logger: log,
    sessions: userSessions,
    auditLog,
    counter: counters.failures,
  });
  const secondFactorServices = composeSecondFactors({
    appSecrets,
    baseUrl,
    database,
    clock,
    users,
    sessions: userSessions,
    auditLog,
    failureLimit,
    notices,
  });
  const { refreshTokenTtlSeconds, replayLeewaySeconds } = config;
  const authorizationServer = composeAuthorizationServer({
    config,
    codes: new AuthorizationCodes(database, grants),
    refreshTokens: new RefreshTokens(database, {
      grants,
      auditLog,
      clock,
      refreshTokenTtlSeconds,
      replayLeewaySeconds,
    }),
    revocations: new AccessTokenRevocations(database),
    signingKeys,
    clock,
    applications,
    secretUse,
    failureLimit,
    auditLog,
    grants,
  });
  const webhooks = composeWebhooks({ config, database, clock, appSecrets });
  const { accessTokens, authorizationEndpoint } = authorizationServer;
  const metadata = authorizationServerMetadata(contract, baseUrl);
  const reports = new Reports(database, {
    reads,
    idempotency: new Idempotency(database, { maxKeys: config.maxIdempotencyKeys }),
    maxReports: config.maxReportsPerAccount,
  });

  return {
    handlers: mergeHandlers(
      new OAuthHandlers({
        ...authorizationServer,
        signingKeys,
        metadata,
        limits: publicLimits,
      }),
      new ConsentHandlers(authorizationEndpoint, sessions),
      new EmployeeHandlers(employees, baseUrl),
      new EventHandlers(
        new EventFeed(database, { clock, retentionDays: config.eventRetentionDays }),
        baseUrl,
      ),
      new WebhookEndpointHandlers({ ...webhooks, baseUrl, clock }),
      new ReportHandlers(reports, { baseUrl, clock }),
      new ReportResultHandlers(reportResults, {
        reports,
        baseUrl,
        clock,
        exports: reportExports,
        runs: reportRuns,
        downloads,
      }),
      new UserHandlers(profiles, clock),
    ),
    authenticate: createAuthenticate(accessTokens, new TokenStatus(database), api),
    publicRateLimiter: publicLimits,
    consent: {
      contract,
      endpoint: authorizationEndpoint,
      sessions,
      reauthentication: userServices.reauthentication,
      clock,
    },
    apiConsole: { applications, settings: config },
    signIn: {
      ...secondFactorServices,
      passkeySignIn: new PasskeySignIn({
        ...{ database, users, sessions: userSessions, auditLog, failureLimit, clock },
        passkeys: secondFactorServices.passkeys,
      }),
      signIn: new SignIn({ users, passwords, sessions: userSessions, auditLog, failureLimit }),
      sessions,
      trustedDevices: new TrustedDevices({ appSecrets, baseUrl, clock }),
      applications,
      clock,
      baseUrl,
    },
    singleSignOn: {
      ...singleSignOn,
      sessions,
      ssoStateCookie: new SsoStateCookie({ baseUrl }),
      baseUrl,
    },
    links: { ...userServices, sessions },
    people: {
      ...userServices,
      ...singleSignOn,
      ...secondFactorServices,
      policies: new SecondFactorPolicies(database),
      users,
      userSessions,
      userAdministration: new UserAdministration(database, notices),
      ownAccount: new OwnAccount(database, { passwords, notices }),
      profiles,
      validateProfile: createProfileValidator(contract),
      employees,
      employeeChanges: new EmployeeChanges(database),
      employeeCheck: createEmployeeCheck(contract),
      uploads: new EmployeeUploads(database),
      uploadSteps: new UploadSteps(database),
      wakeImports: () => uploadWorker.wake(),
      directory: new Directory(reads),
      applications: new OAuthApplications(database),
      clientSecrets: new ClientSecrets(database),
      grants,
      auditLog: auditLogReader,
      auditLogExports: new AuditLogExports(exports, auditLogReader),
      downloads,
      reports,
      reportCreators: new ReportCreators(reads),
      reportResults,
      reportCharts: new ReportCharts(reads),
      reportRuns,
      reportExports,
      validateReport: createReportValidator(contract),
      sessions,
      clock,
      baseUrl,
      production: config.production,
      scopes: contract.scopes,
      usage: new UsageReader(database),
      webhooks,
      limits: { configured: config, reports: reportLimits, bodyBytes: bodyLimitBytes },
      problems: contract.problems,
    },
    secretUse,
    notices,
    exports,
    databaseCheck: new DatabaseCheck(database),
    counters,
  };
}
