import { encode } from 'uqr';
import { ErrorSummary, TextField } from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { ownSecondFactorPath } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import type { AppSetUp } from '../authenticator-apps.js';
import { afterAddition, afterRemoval, parentCrumb, returnAddress, returnField } from './after-change.js';
import type { OwnSecondFactorDependencies } from './dependencies.js';

/** Modules of white around a QR code. @see ISO/IEC 18004 */
const border = 4;

/** A text as QR code, dark on light in both colour schemes: many cameras do not read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" role="img" viewBox={`0 0 ${size} ${size}`} width="220" height="220">
      <title>{label}</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

const path = `${ownSecondFactorPath}/app`;
const codeField = 'code';
const tokenField = 'set_up';

/** Pages that set up and remove an authenticator app. */
export function appPages(site: PageRouter, { apps, baseUrl }: OwnSecondFactorDependencies): void {
  site.get(path, async (context) => {
    const setUp = await apps.setUp(context.user);
    return { page: <AppPage {...{ context, setUp }} returnTo={returnAddress(context, baseUrl)} /> };
  });

  site.post(path, async (context) => {
    const { form, user, sessionId, stage } = context;
    const token = form.secret(tokenField);
    const code = form.text(codeField).replaceAll(/\s/g, '');
    const returnTo = returnAddress(context, baseUrl);
    const outcome = await apps.add(context.auditContext, { token, code, session: { sessionId, stage } });
    if (outcome.kind === 'added') return afterAddition(context, outcome, { added: 'app_added', returnTo });
    // The same secret again, which the user may have entered into the app.
    const setUp = (await apps.readSetUp(user, token)) ?? (await apps.setUp(user));
    const error =
      outcome.kind === 'wrong_code'
        ? 'The code is incorrect. Enter the six digits that the app shows now. If this happens again, check the clock of your phone.'
        : 'This form has expired. Scan the new QR code.';
    return { status: 400, page: <AppPage {...{ context, setUp, returnTo, error }} /> };
  });

  site.get(`${path}/remove`, async () => ({ redirect: ownSecondFactorPath }));
  site.post(`${path}/remove`, async ({ auditContext }) =>
    afterRemoval(await apps.remove(auditContext), 'app_removed'),
  );
}

function AppPage({
  context,
  setUp: { secret, uri, token },
  returnTo,
  error,
}: {
  context: PageContext;
  setUp: AppSetUp;
  returnTo: string;
  error?: string;
}) {
  const title = 'Set up an authenticator app';
  return (
    <SitePage
      context={context}
      title={title}
      hasErrors={error !== undefined}
      current="account"
      parent={parentCrumb}
    >
      <h1>{title}</h1>
      <ErrorSummary errors={error === undefined ? [] : [{ field: codeField, message: error }]} />
      <ol class="steps">
        <li>
          <p>Scan the QR code with the app, or enter the key there.</p>
          <QrCode text={uri} label="QR code with the key below" />
          <p>
            Key: <code class="key">{secret.replace(/.{4}(?=.)/g, '$& ')}</code>
          </p>
          <p>
            <a href={uri}>Open in an app on this device</a>
          </p>
        </li>
        <li>
          <form method="post" action={path} noValidate class="fields">
            <CsrfField token={context.csrfToken} />
            <input type="hidden" name={tokenField} value={token} />
            <input type="hidden" name={returnField} value={returnTo} />
            <TextField
              id={codeField}
              label="Code"
              hint="The six digits that the app shows."
              inputMode="numeric"
              autocomplete="one-time-code"
              maxLength={10}
              error={error}
            />
            <div class="actions">
              <button type="submit">Save</button>
              <a href={ownSecondFactorPath}>Cancel</a>
            </div>
          </form>
        </li>
      </ol>
    </SitePage>
  );
}
