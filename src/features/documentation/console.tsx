import type { FastifyInstance } from 'fastify';
import type { ClientRegistry } from '../../oauth/clients/client-registry.js';
import { isRegisteredRedirectUri } from '../../oauth/clients/redirect-uris.js';
import type { Config } from '../../platform/config/config.js';
import { Layout, sendPage } from '../../platform/pages/layout.js';
import { consoleCallbackPath, demoBackend, demoConsoleClientId, demoPassword } from '../demo-data/index.js';
import { DocumentationFooter, DocumentationHeader } from './frame.js';

/** The application with which users of the console sign in. */
interface ConsoleApplication {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Whether it is the one of the demo data, whose users have a public password. */
  readonly isDemo: boolean;
}

/** Without a `consoleClientId`, the application is that of the demo data. */
type ConsoleSettings = Pick<Config, 'baseUrl' | 'consoleClientId'>;

/**
 * Finds the application of the console. Returns `undefined` unless it is public and has the redirect URI of the console:
 * signing in would fail.
 */
async function findConsoleApplication(
  clients: ClientRegistry,
  { baseUrl, consoleClientId = demoConsoleClientId }: ConsoleSettings,
): Promise<ConsoleApplication | undefined> {
  const found = await clients.findByClientId(consoleClientId);
  if (found?.clientType !== 'public') return undefined;
  if (!isRegisteredRedirectUri(found, `${baseUrl}${consoleCallbackPath}`)) return undefined;
  const { clientId, scopes } = found;
  return { clientId, scopes, isDemo: clientId === demoConsoleClientId };
}

/** Fixed sentences: the page does not show text from the URL, which another site can choose. */
const reasons: Readonly<Record<string, string>> = {
  access_denied: 'You did not allow the console to access your account, so it has no access token.',
  invalid_scope: 'The application of the console may not request one of the scopes. Select fewer scopes.',
};

const otherReason = 'The authorization server rejected the request.';

/** The redirect URI of the console. Its script passes the response to the console. */
function CallbackPage({ error }: { error: string | undefined }) {
  return (
    <Layout
      title={error === undefined ? 'Return to the console' : 'Not signed in'}
      narrow
      script="console-callback.js"
    >
      {error === undefined ? (
        <>
          <h1>Return to the console</h1>
          <p>You can close this window, and continue in the window of the console.</p>
        </>
      ) : (
        <>
          <h1>Not signed in</h1>
          <p>{Object.hasOwn(reasons, error) ? reasons[error] : otherReason}</p>
        </>
      )}
      <p>
        If that window is closed, <a href="/console">open the console</a> and start again.
      </p>
    </Layout>
  );
}

/** The page in which Swagger UI shows the contract. Its script reads the data attributes. */
function ConsolePage({
  baseUrl,
  application,
}: {
  baseUrl: string;
  /** Absent: users paste an access token. */
  application: ConsoleApplication | undefined;
}) {
  return (
    <Layout
      title="API console"
      wide
      script={['swagger-ui.js', 'console.js']}
      styles={['swagger-ui.css', 'console.css']}
      header={<DocumentationHeader current="/console" />}
      footer={<DocumentationFooter />}
    >
      <h1>API console</h1>
      <noscript>
        <p class="notice">
          The console needs JavaScript. The <a href="/docs">reference</a> describes all operations.
        </p>
      </noscript>
      <SignInNote application={application} />
      <p>
        Requests go to <code>{baseUrl}</code> and change its data. The console forgets the token when you
        leave or reload this page.
      </p>
      <h2 class="unseen">Operations</h2>
      <div
        id="console"
        data-base-url={baseUrl}
        {...(application && {
          'data-client-id': application.clientId,
          'data-scopes': application.scopes.join(' '),
        })}
      />
    </Layout>
  );
}

function SignInNote({ application }: { application: ConsoleApplication | undefined }) {
  if (application === undefined) {
    return (
      <p>
        Try every operation of the API in the browser. Press <strong>Authorize</strong> and paste an access
        token. <a href="/docs">The reference</a> describes how to get one.
      </p>
    );
  }
  return (
    <>
      <p>
        Try every operation of the API in the browser. Press <strong>Authorize</strong>, then{' '}
        <strong>Authorize</strong> below the scopes, and sign in. Then open an operation and press{' '}
        <strong>Try it out</strong>.
      </p>
      {application.isDemo && (
        <p>
          This server has demo data: sign in as <code>{demoBackend.ownerEmail}</code> with the password{' '}
          <code>{demoPassword}</code>.
        </p>
      )}
    </>
  );
}

/** `/console`, where every operation can be tried, and the redirect URI of its sign-in. */
export async function consolePages(
  app: FastifyInstance,
  { clients, config: settings }: { clients: ClientRegistry; config: ConsoleSettings },
): Promise<void> {
  const { baseUrl, consoleClientId } = settings;
  const permissions = { script: true, requests: true };
  let hasWarned = false;
  app.get('/console', async (request, reply) => {
    const application = await findConsoleApplication(clients, settings);
    if (application === undefined && consoleClientId !== undefined && !hasWarned) {
      hasWarned = true;
      request.log.warn(
        'CONSOLE_CLIENT_ID must be the client id of a public application with the redirect URI of the console',
      );
    }
    return sendPage(reply, <ConsolePage baseUrl={baseUrl} application={application} />, permissions);
  });
  app.get(consoleCallbackPath, async (request, reply) => {
    const { error } = request.query as Record<string, unknown>;
    const page = <CallbackPage error={error === undefined ? undefined : String(error)} />;
    return sendPage(reply, page, permissions);
  });
}
