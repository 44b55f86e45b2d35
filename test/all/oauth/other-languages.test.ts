import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.js';
import { run, skipWithout } from '../../support/processes/command.js';
import t, { type Test } from '../../support/tap.js';
import { NetworkBrowser, startLiveServer, systemClock } from './oauth-clients.js';
import { type ProgramOutcome, type ProgramSettings, runRelyingProgram } from './programs/relying-program.js';

// Libraries of other languages, from the packages of Debian: python3-authlib, python3-requests, golang-github-coreos-go-oidc-dev.

const server = await startLiveServer(t, systemClock);
const programs = path.join(packageRoot, 'test', 'all', 'oauth', 'programs');
const scope = 'openid profile email';

const python = '/usr/bin/python3';
const authlib = [python, path.join(programs, 'sign-in-with-authlib.py')] as const;
const withAuthlib = { skip: skipWithout(python, ['-c', 'import authlib, requests']) };

/** Packages of Debian are compiled without modules, and without a network. */
const goEnvironment = ['GO111MODULE=off', 'GOPATH=/usr/share/gocode', 'GOFLAGS='];
const goPackages = ['github.com/coreos/go-oidc', 'golang.org/x/oauth2'];
const withGo = { skip: skipWithout('env', [...goEnvironment, 'go', 'list', ...goPackages]) };

const allow = (url: URL) => new NetworkBrowser(server.issuer).decide(url, server.owner, 'allow');

async function settingsFor(method: ProgramSettings['method']): Promise<ProgramSettings> {
  if (method === 'private_key_jwt') {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const settings = await server.registerKeys([publicKey.export({ format: 'jwk' })]);
    return {
      ...settings,
      scope,
      method,
      credential: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
  }
  const { issuer, clientId, clientSecret, redirectUri } = await server.register(method);
  return { issuer, clientId, redirectUri, scope, method, credential: method === 'none' ? '' : clientSecret };
}

function expectOutcome(t: Test, { claims, userInfo }: ProgramOutcome, { clientId }: ProgramSettings): void {
  const { issuer, owner } = server;
  t.match(claims, { iss: issuer, sub: owner.id, aud: clientId, amr: ['pwd'] });
  t.match(userInfo, { sub: owner.id, email: owner.email, email_verified: false, name: 'Ada Lovelace' });
}

for (const method of ['none', 'client_secret_basic', 'private_key_jwt'] as const)
  t.test(
    `Authlib in Python validates the ID tokens and reads UserInfo with ${method}`,
    withAuthlib,
    async (t) => {
      const settings = await settingsFor(method);
      const outcome = await runRelyingProgram(authlib, settings, allow);
      expectOutcome(t, outcome, settings);
      t.equal(outcome.refreshedClaims?.sub, server.owner.id);
      t.equal(outcome.refreshedClaims?.auth_time, outcome.claims.auth_time);
    },
  );

t.test('Authlib in Python rejects an ID token for a request with another nonce', withAuthlib, async (t) => {
  const changed = (url: URL) => {
    url.searchParams.set('nonce', 'of another request');
    return allow(url);
  };
  await t.rejects(runRelyingProgram(authlib, await settingsFor('none'), changed), /invalid_claim.*nonce/);
});

t.test('go-oidc in Go validates the ID token and reads UserInfo', withGo, async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'people-api-go-oidc-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'program');
  const variables = [...goEnvironment, `GOCACHE=${path.join(folder, 'cache')}`];
  const source = path.join(programs, 'sign-in-with-go-oidc.go');
  const built = await run('env', [...variables, 'go', 'build', '-ldflags=-s -w', '-o', file, source]);
  t.equal(built.code, 0, built.stderr);
  for (const method of ['none', 'client_secret_basic'] as const) {
    const settings = await settingsFor(method);
    expectOutcome(t, await runRelyingProgram([file], settings, allow), settings);
  }
});
