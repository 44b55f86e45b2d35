import type { Clock } from './clock.js';
import type { Config } from './config/config.js';
import type { Contract } from './contract/contract.js';
import type { Database, ReadDatabase } from './database/client.js';
import { createAuthenticate } from './http/authentication.js';
import type { Authenticate, PublicGate } from './http/binding/bind.js';
import type { Handlers } from './http/binding/handlers.js';
import { BrowserSessions } from './http/browser-sessions.js';
import { bodyLimitBytes } from './http/connection-limits.js';
import { CsvDownloads } from './http/csv-downloads.js';
import { EmployeeHandlers } from './http/handlers/employees.js';
import { EventHandlers } from './http/handlers/events.js';
import { mergeHandlers } from './http/handlers/merge.js';
import { OAuthHandlers } from './http/handlers/oauth.js';
import { ReportResultHandlers } from './http/handlers/report-results.js';
import { ReportHandlers } from './http/handlers/reports.js';
import { UserHandlers } from './http/handlers/users.js';
import { WebhookEndpointHandlers } from './http/handlers/webhook-endpoints.js';
import { KnownBrowsers } from './http/known-browser-cookie.js';
import { createLifecycle, type Lifecycle } from './http/lifecycle.js';
import { PartnerWaits } from './http/partner-waits.js';
import { ReportConcurrency } from './http/report-concurrency.js';
import { defaultReportLimits, type ReportLimits } from './http/report-limits.js';
import { ReportRuns } from './http/report-runs.js';
import { createRequestLimits } from './http/request-limits.js';
import { SignInBrowserCookie } from './http/sign-in-browser-cookie.js';
import { composeAuthorizationServer } from './oauth/compose.js';
import { authorizationServerMetadata } from './oauth/metadata.js';
import type { SigningKeys } from './oauth/signing-keys.js';
import { type ConsentFormDependencies, ConsentHandlers } from './pages/consent.js';
import type { ConsoleDependencies } from './pages/console/routes.js';
import type { LinkPagesDependencies } from './pages/links/routes.js';
import { createProfileValidator } from './pages/my-account/profile-form.js';
import type { PeopleSiteDependencies } from './pages/people-site.js';
import { createReportValidator } from './pages/reports/report-validator.js';
import type { SignInDependencies } from './pages/sign-in.js';
import type { SingleSignOnPagesDependencies } from './pages/single-sign-on/dependencies.js';
import { ClientRegistry } from './services/applications/client-registry.js';
import { ClientSecrets } from './services/applications/client-secrets.js';
import { OAuthApplications } from './services/applications/oauth-applications.js';
import { SecretUse } from './services/applications/secret-use.js';
import { AuditLog } from './services/audit-log.js';
import { AuditLogExports } from './services/audit-log-exports.js';
import { AuditLogReader } from './services/audit-log-reader.js';
import { AuditedExports } from './services/audited-exports.js';
import type { Counters } from './services/counters/counters.js';
import { createCounters } from './services/counters/create-counters.js';
import type { CounterLogger } from './services/counters/redis-connection.js';
import { DatabaseCheck } from './services/database-check.js';
import { createEmployeeCheck } from './services/employee-imports/employee-check.js';
import { EmployeeUploads } from './services/employee-imports/uploads/employee-uploads.js';
import { UploadSteps } from './services/employee-imports/uploads/upload-steps.js';
import type { UploadWorker } from './services/employee-imports/uploads/upload-worker.js';
import { Directory } from './services/employees/directory.js';
import { EmployeeChanges } from './services/employees/employee-changes.js';
import { Employees } from './services/employees/employees.js';
import { EventFeed } from './services/events/event-feed.js';
import { FailureLimit } from './services/failure-limit.js';
import { AuthorizationCodes } from './services/grants/authorization-codes.js';
import { Grants } from './services/grants/grants.js';
import { Idempotency } from './services/idempotency/idempotency.js';
import type { AppSecrets } from './services/keyring.js';
import { composeUserServices } from './services/links/compose.js';
import { OwnAccount } from './services/own-account.js';
import { Passwords } from './services/passwords.js';
import { Profiles } from './services/profiles.js';
import { ReportCreators } from './services/reports/report-creators.js';
import { Reports } from './services/reports/reports.js';
import { ReportCharts } from './services/reports/results/report-charts.js';
import { ReportExports } from './services/reports/results/report-exports.js';
import { ReportResults } from './services/reports/results/report-results.js';
import { composeSecondFactors } from './services/second-factors/compose.js';
import { PasskeySignIn } from './services/second-factors/passkey-sign-in.js';
import { SecondFactorPolicies } from './services/second-factors/second-factor-policy.js';
import { createSecurityNotices, type SecurityNotices } from './services/security-notices.js';
import { Sessions } from './services/sessions.js';
import { SignIn } from './services/sign-in.js';
import { composeSingleSignOn } from './services/single-sign-on/compose.js';
import { AccessTokenRevocations } from './services/tokens/access-token-revocations.js';
import { RefreshTokens } from './services/tokens/refresh-tokens.js';
import { TokenStatus } from './services/tokens/token-status.js';
import { UsageReader } from './services/usage/usage-reader.js';
import { UserAdministration } from './services/user-administration.js';
import { Users } from './services/users.js';
import { composeWebhooks } from './services/webhooks/compose.js';

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
  readonly publicGate: PublicGate;
  readonly counters: Counters;
  readonly consent: ConsentFormDependencies;
  readonly apiConsole: ConsoleDependencies;
  readonly signIn: SignInDependencies;
  readonly singleSignOn: SingleSignOnPagesDependencies;
  readonly links: LinkPagesDependencies;
  readonly people: PeopleSiteDependencies;
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
  const webhooks = { ...composeWebhooks({ config, database, clock, appSecrets }), waits: new PartnerWaits() };
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
    publicGate: publicLimits,
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
      knownBrowsers: new KnownBrowsers({ appSecrets, baseUrl, clock }),
      applications,
      clock,
      baseUrl,
    },
    singleSignOn: {
      ...singleSignOn,
      sessions,
      browserCookie: new SignInBrowserCookie({ baseUrl }),
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
