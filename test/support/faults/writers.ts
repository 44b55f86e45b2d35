import { ClientCredentials } from '../../../src/features/oauth-clients/client-credentials.js';
import { OAuthApplications } from '../../../src/features/oauth-clients/oauth-applications.js';
import { Grants } from '../../../src/oauth/grants/grants.js';
import { Sessions } from '../../../src/platform/accounts/sessions.js';
import type { UserAuditContext } from '../../../src/platform/audit/audit-log.js';
import { restrictableAttributes } from '../../../src/platform/contract/employee-attributes.js';
import { accountScope, withScope } from '../../../src/platform/database/scope.js';
import { Housekeeping } from '../../../src/process/housekeeping.js';
import { authorizationRequest, refresh, revoke } from '../oauth/users.js';
import { importText, makeRecords, toCsv } from '../records/import.js';
import { type Arena, type ArenaItem, arenaRedirectUri } from './write-arena.js';

/** Something that changes rows. */
export interface Writer {
  readonly name: string;
  /**
   * Concurrent calls as a share of those of other writers. Few if a call takes many statements, or if the first call leaves
   * no work for the next ones: with many, it would finish before the other writer starts.
   */
  readonly share?: number;
  /** Returns the status of the response. Work that is not a request returns no status, and throws errors. */
  run(arena: Arena, item: ArenaItem, index: number): Promise<{ statusCode: number } | undefined>;
}

const json = ({ accessToken }: ArenaItem) => ({
  authorization: `Bearer ${accessToken}`,
  'content-type': 'application/json',
});

const settings = {
  name: 'New',
  redirectUris: [arenaRedirectUri],
  postLogoutRedirectUris: [],
  scopes: ['reports:read', 'user:write'],
  readableAttributes: restrictableAttributes,
  requireClientSecret: true,
  requireProofOfPossession: false,
  requirePushedRequests: false,
  backchannelLogoutUri: null,
  inDevelopment: false,
};

/** Performs the action of a page for the owner of the account. */
async function inAccount<Result>(
  { api, accountId, user }: Arena,
  work: (auditContext: UserAuditContext) => Promise<Result>,
): Promise<undefined> {
  const origin = { address: '127.0.0.1', requestId: 'test' };
  const auditContext = { accountId, userId: user.id, origin, at: api.clock() };
  await withScope(accountScope(accountId), () => work(auditContext));
}

const applicationsOf = ({ api }: Arena) => new OAuthApplications(api.database);

/** Every way to change the rows of an account, and rows without an account. */
export const writers: readonly Writer[] = [
  { name: 'code exchange', run: ({ api }, { code }) => api.postForm('/v1/oauth/token', code) },
  { name: 'code replay', run: ({ api }, { usedCode }) => api.postForm('/v1/oauth/token', usedCode) },
  {
    name: 'consent',
    run({ browser, csrf }, { application }) {
      const { url } = authorizationRequest({ application, redirectUri: arenaRedirectUri });
      return browser.submit(url, { ...csrf, decision: 'allow' });
    },
  },
  {
    name: 'refresh',
    run: ({ api }, { application, refreshToken }) => refresh(api, application, refreshToken),
  },
  {
    name: 'refresh token replay',
    run: ({ api }, { application, usedRefreshToken }) => refresh(api, application, usedRefreshToken),
  },
  {
    name: 'refresh token revocation',
    run: ({ api }, { application, refreshToken }) =>
      revoke(api, application, refreshToken, { client_secret: application.clientSecret }),
  },
  {
    name: 'access token revocation',
    run: ({ api }, { application, accessToken }) =>
      revoke(api, application, accessToken, { client_secret: application.clientSecret }),
  },
  {
    name: 'disconnection',
    share: 0.4,
    run: (arena, { application }) =>
      inAccount(arena, (auditContext) =>
        new Grants(arena.api.database).disconnect(auditContext, application.id),
      ),
  },
  {
    name: 'removal of permissions',
    share: 0.4,
    run: (arena, { application: { id: applicationId } }) =>
      inAccount(arena, (auditContext) =>
        new Grants(arena.api.database).removeScopes(auditContext, {
          applicationId,
          scopes: ['reports:read'],
          expected: ['reports:read', 'reports:write', 'user:read', 'user:write'],
        }),
      ),
  },
  {
    name: 'application creation',
    run: (arena, { nonce }) =>
      inAccount(arena, (auditContext) =>
        applicationsOf(arena).register(auditContext, {
          clientType: 'confidential',
          settings,
          expiresAt: null,
          nonce,
        }),
      ),
  },
  {
    name: 'application update',
    run(arena, { application, nonce }, index) {
      // Every second call invalidates the codes that are being exchanged.
      const redirectUris = index % 2 === 0 ? settings.redirectUris : [];
      const changed = { ...settings, name: nonce, redirectUris };
      return inAccount(arena, (auditContext) =>
        applicationsOf(arena).update(auditContext, { id: application.id, settings: changed }),
      );
    },
  },
  {
    name: 'application deletion',
    share: 0.4,
    run: (arena, { application }) =>
      inAccount(arena, (auditContext) => applicationsOf(arena).delete(auditContext, application.id)),
  },
  {
    name: 'secret creation and retirement',
    run(arena, { application: { id: applicationId }, nonce, secretId }, index) {
      const credentials = new ClientCredentials(arena.api.database);
      return inAccount<unknown>(arena, (auditContext) =>
        index % 2 === 0
          ? credentials.createSecret(auditContext, { applicationId, nonce, expiresAt: null })
          : credentials.revokeSecret(auditContext, { applicationId, secretId }),
      );
    },
  },
  {
    name: 'profile update',
    run: ({ api }, item, index) =>
      api.app.inject({
        method: 'PATCH',
        url: '/v1/users/me',
        headers: json(item),
        payload: JSON.stringify({ nickname: `Nickname ${index}` }),
      }),
  },
  {
    name: 'report creation',
    run: ({ api }, item) =>
      api.app.inject({
        method: 'POST',
        url: '/v1/reports',
        headers: { ...json(item), 'idempotency-key': item.nonce },
        payload: JSON.stringify({ title: 'New' }),
      }),
  },
  {
    name: 'report update and deletion',
    run({ api }, item, index) {
      const url = `/v1/reports/${item.reportId}`;
      return index % 2 === 0
        ? api.app.inject({
            method: 'PATCH',
            url,
            headers: json(item),
            payload: JSON.stringify({ title: 'T' }),
          })
        : api.app.inject({
            method: 'DELETE',
            url,
            headers: { authorization: json(item).authorization },
          });
    },
  },
  {
    name: 'import',
    share: 0.3,
    async run({ api, accountId }, _item, index) {
      const csv = toCsv(makeRecords(5, { department: `Department ${index % 3}` }));
      const { ending } = await importText(api.database, accountId, csv);
      if (ending.kind === 'failed') throw ending.error;
      return undefined;
    },
  },
  {
    name: 'key rotation',
    share: 0.2,
    async run({ api }) {
      await api.signingKeys.rotate({ tokenTtlSeconds: 60 });
      return undefined;
    },
  },
  {
    name: 'housekeeping',
    share: 0.2,
    async run({ api }) {
      await new Housekeeping(api.database, { eventRetentionDays: 30, historyRetentionDays: 30 }).prune(
        api.clock(),
      );
      return undefined;
    },
  },
  {
    name: 'session start and end',
    async run({ api, user, accountId }) {
      const sessions = new Sessions(api.database, api.clock);
      const id = await sessions.create(user, { address: '127.0.0.1', userAgent: undefined });
      if (id !== null) await sessions.revoke(id, { type: 'sign_out', accountId, userId: user.id });
      return undefined;
    },
  },
];
