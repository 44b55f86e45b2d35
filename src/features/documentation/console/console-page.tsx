import { Layout } from '../../../platform/pages/layout.js';
import { demoBackend, demoPassword } from '../../demo-data/index.js';
import { DocumentationFooter } from '../pages/documentation-footer.js';
import { DocumentationHeader } from '../pages/documentation-header.js';
import type { ConsoleApplication } from './console-application.js';

/** The page in which Swagger UI shows the contract. Its script reads the data attributes. */
export function ConsolePage({
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
