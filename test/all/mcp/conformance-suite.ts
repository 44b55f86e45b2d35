import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { packageRoot } from '../../../src/platform/package-root.js';
import { withoutTap } from '../../support/processes/plain-process.js';

const program = path.join(
  packageRoot,
  ...['test', 'all', 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js'],
);

/** A check of a scenario, as the suite writes it. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** Is called with each line of the output, one after the other. */
type OnLine = (line: string) => unknown;

/** Names of the scenarios of the suite for this kind of server, and the revisions or the extension that they belong to. */
export async function listScenarios(t: Test, kind: 'server' | 'authorization'): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  await runSuite(t, ['list', `--${kind}`], (line) => {
    const [, name, revisions] = /^ {2}- (\S+) \[(.*)\]$/.exec(line) ?? [];
    if (name !== undefined && revisions !== undefined) names.set(name, revisions);
  });
  return names;
}

/**
 * Runs the suite, and returns the checks of each scenario by its name.
 *
 * @throws what `onLine` throws
 */
export async function checksOf(
  t: Test,
  args: readonly string[],
  onLine?: OnLine,
): Promise<Map<string, readonly Check[]>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'people-api-conformance-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  await runSuite(t, [...args, '--output-dir', folder], onLine);
  return new Map(
    fs.readdirSync(folder).map((name) => {
      const scenario = name.replace(/^(authorization-)?server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
      return [scenario, JSON.parse(fs.readFileSync(path.join(folder, name, 'checks.json'), 'utf8'))];
    }),
  );
}

/** Runs the program of the suite until it exits. Its exit code counts scenarios that do not apply as failures. */
async function runSuite(t: Test, args: readonly string[], onLine?: OnLine): Promise<void> {
  const child = spawn(...withoutTap(process.execPath, [...withGlobSync(), program, ...args]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill());
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) await onLine?.(line);
  await closed;
}

const scriptUrl = (script: string) => `data:text/javascript,${encodeURIComponent(script)}`;

/** The program imports `globSync` of Node.js 22 for a command that is not used here. */
function withGlobSync(): string[] {
  if ('globSync' in fs) return [];
  const extended = scriptUrl(
    'export * from "node:fs"; export { default } from "node:fs"; export const globSync = undefined;',
  );
  const hooks = scriptUrl(
    `export const resolve = (name, context, next) =>
      name === 'fs' ? { url: ${JSON.stringify(extended)}, shortCircuit: true } : next(name, context);`,
  );
  return [
    '--import',
    scriptUrl(`import { register } from 'node:module'; register(${JSON.stringify(hooks)});`),
  ];
}

/** Where a proxy sends requests, and the token that it adds to those to `/mcp`. */
interface Forwarding {
  readonly target: string;
  readonly token: string;
}

/**
 * A reverse proxy that adds a token to the requests to `/mcp`: the suite has no option for a header. It is closed when the test
 * ends.
 *
 * @returns its URL, and a function that must be called before the first request
 */
export async function proxyWithToken(t: Test) {
  let forwarding: Forwarding = { target: '', token: '' };
  const proxy = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { method, url = '/' } = request;
    const added = url === '/mcp' ? { authorization: `Bearer ${forwarding.token}` } : {};
    const headers = { ...request.headers, ...added };
    const forwarded = http.request(`${forwarding.target}${url}`, { method, headers });
    forwarded.on('error', () => response.destroy());
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  proxy.listen(0, 'localhost');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const forward = (to: Forwarding) => {
    forwarding = to;
  };
  return { url: `http://localhost:${(proxy.address() as AddressInfo).port}`, forward };
}
