import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../http/browser-sessions.js';
import {
  OtherAccountProblem,
  type Problem,
  type ProblemDocument,
  UnregisteredRedirectUriProblem,
} from '../problems/problem.js';
import type { Section } from './audience.js';
import { CsrfField, SignedInAs } from './form-parts.js';
import { Layout, sendPage } from './layout.js';
import { directoryPath } from './paths.js';
import { SiteErrorPage } from './site-page.js';

/** Headings of error pages, by code. Those of other codes are their titles. */
const headings: Readonly<Record<string, string>> = {
  'public-api-not-found': 'Page not found',
  access_denied: 'You have no access',
  payload_too_large: 'The form is too large',
  request_header_fields_too_large: 'The address is too long',
  internal_error: 'Something went wrong',
  service_unavailable: 'Temporarily unavailable',
};

/** Those of errors that an application has caused. */
const consentHeadings: Readonly<Record<string, string>> = {
  ...headings,
  invalid_request: 'The application sent an invalid request',
  invalid_client: 'Unknown application',
};

/** A title of the contract, such as "Too Many Requests", as "Too many requests". */
function inSentenceCase(title: string): string {
  return title.replaceAll(/ [A-Z](?=[a-z]+\b)/g, (start) => start.toLowerCase());
}

/** Sends an error page to a browser. On the pages of People a signed-in user sees their navigation. */
export function sendProblemPage(
  reply: FastifyReply,
  document: ProblemDocument,
  { problem, request }: { problem: Problem; request: FastifyRequest },
  settingsPages: readonly Section[],
): FastifyReply {
  const { status, detail, code, errors = [], request_id, instance } = document;
  const { signedIn, url, method } = request;
  const isPageMissing = code === 'public-api-not-found' && (method === 'GET' || method === 'HEAD');
  // The pages of the API are the consent screen and sign-out. Their users came from an application, so links to other pages would be misleading.
  const isConsent = instance.startsWith('/v1/');
  const title =
    problem.page?.heading ?? (isConsent ? consentHeadings : headings)[code] ?? inSentenceCase(document.title);
  const text = isPageMissing ? 'There is no page at this address. Check it.' : (problem.page?.text ?? detail);
  const inPeople = instance === directoryPath || instance.startsWith(`${directoryPath}/`);
  const content = (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      {errors.length > 1 && (
        <ul>
          {errors.map((error) => (
            <li key={error.detail}>{error.detail}</li>
          ))}
        </ul>
      )}
      {problem instanceof UnregisteredRedirectUriProblem && <RejectedRedirectUri {...problem} />}
      {problem instanceof OtherAccountProblem && signedIn !== null && (
        <OtherAccountForm {...signedIn} returnTo={url} />
      )}
      {isConsent && status < 500 && !(problem instanceof OtherAccountProblem) && (
        <p>
          You came here from an application. Go back to it and try again. If it does not help, send this page
          to the developer of the application.
        </p>
      )}
      {inPeople && (
        <p>
          <a href={directoryPath}>Go to the directory</a>
        </p>
      )}
      {!inPeople && !isConsent && (
        <p>
          <a href="/">Go to the home page</a> or to the <a href="/docs">documentation of the API</a>
        </p>
      )}
      <p class="note">
        Error <code>{code}</code>, request <code>{request_id}</code>
      </p>
    </>
  );
  return sendPage(
    reply,
    inPeople && signedIn !== null ? (
      <SiteErrorPage {...signedIn} {...{ title, settingsPages }} path={instance}>
        {content}
      </SiteErrorPage>
    ) : (
      <Layout title={title}>{content}</Layout>
    ),
  );
}

/** What the developer of the application compares with its settings. The URI is no link, because it may be an attacker's. */
function RejectedRedirectUri({
  applicationName,
  redirectUri,
}: Pick<UnregisteredRedirectUriProblem, 'applicationName' | 'redirectUri'>) {
  return (
    <dl class="account">
      <dt>Application</dt>
      <dd>
        <bdi>{applicationName}</bdi>
      </dd>
      <dt>Redirect URI received</dt>
      <dd>
        <code>{redirectUri}</code>
      </dd>
    </dl>
  );
}

/** Form that signs the user out and leads back to the authorization request through the sign-in page. */
function OtherAccountForm({ user, csrfToken, returnTo }: SignedInUser & { returnTo: string }) {
  return (
    <>
      <SignedInAs user={user} />
      <form method="post" action="/sign_out">
        <CsrfField token={csrfToken} />
        <input type="hidden" name="return_to" value={returnTo} />
        <button type="submit">Use another account</button>
      </form>
    </>
  );
}
