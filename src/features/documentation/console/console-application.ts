import type { ClientRegistry } from '../../../oauth/clients/client-registry.js';
import { consoleCallbackPath, demoConsoleClientId } from '../../demo-data/index.js';

/** The application with which users of the console sign in. */
export interface ConsoleApplication {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Whether it is the one of the demo data, whose users have a public password. */
  readonly isDemo: boolean;
}

export interface ConsoleSettings {
  readonly baseUrl: string;
  /** Default: the application of the demo data. */
  readonly consoleClientId: string | undefined;
}

/**
 * Finds the application of the console. Returns `undefined` unless it is public and has the redirect URI of the console:
 * signing in would fail.
 */
export async function findConsoleApplication(
  applications: ClientRegistry,
  { baseUrl, consoleClientId = demoConsoleClientId }: ConsoleSettings,
): Promise<ConsoleApplication | undefined> {
  const found = await applications.findByClientId(consoleClientId);
  if (found?.clientType !== 'public') return undefined;
  if (!found.redirectUris.includes(`${baseUrl}${consoleCallbackPath}`)) return undefined;
  const { clientId, scopes } = found;
  return { clientId, scopes, isDemo: clientId === demoConsoleClientId };
}
