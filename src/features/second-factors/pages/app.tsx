import { encode } from 'uqr';
import { confirmPage } from '../../../platform/pages/define-pages.js';
import { Form, TextField } from '../../../platform/pages/form-parts.js';
import type { PageHandler, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { ownSecondFactorPath } from '../../../platform/pages/paths.js';
import type { AppSetUp } from '../authenticator-apps.js';
import {
  afterAddition,
  afterRemoval,
  type OwnSecondFactorDependencies,
  parentCrumb,
  returnField,
  returnPath,
} from './own-second-factor-pages.js';

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
  site.get(path, async (context) => appPage(await apps.setUp(context.user), returnPath(context, baseUrl)));

  const save: PageHandler = async (context) => {
    const { form, user, sessionId, stage } = context;
    const token = form.secret(tokenField);
    const code = form.text(codeField).replaceAll(/\s/g, '');
    const returnTo = returnPath(context, baseUrl);
    const outcome = await apps.add(context.auditContext, { token, code, session: { sessionId, stage } });
    if (outcome.kind === 'added') return afterAddition(context, outcome, { added: 'app_added', returnTo });
    // The same secret again, which the user may have entered into the app.
    const setUp = (await apps.readSetUp(user, token)) ?? (await apps.setUp(user));
    const message =
      outcome.kind === 'wrong_code'
        ? 'The code is incorrect. Enter the six digits that the app shows now. If this happens again, check the clock of your phone.'
        : 'This form has expired. Scan the new QR code.';
    return { ...appPage(setUp, returnTo), errors: [{ field: codeField, message }] };
  };
  site.post(path, save, { recentPassword: ['form', 'adds a second factor'] });

  confirmPage(site, `${path}/remove`, {
    reason: 'removes a second factor',
    view: async ({ user }) => {
      if ((await apps.addedAt(user)) === null) return { redirect: ownSecondFactorPath };
      return {
        title: 'Remove the authenticator app?',
        parent: parentCrumb,
        button: 'Remove authenticator app',
        cancel: ownSecondFactorPath,
        body: <p class="warning">You can no longer sign in with the codes that the app shows.</p>,
      };
    },
    save: async ({ auditContext }) => afterRemoval(await apps.remove(auditContext), 'app_removed'),
  });
}

function appPage({ secret, uri, token }: AppSetUp, returnTo: string): PageView {
  return {
    title: 'Set up an authenticator app',
    parent: parentCrumb,
    body: (
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
          <Form
            hidden={[
              [tokenField, token],
              [returnField, returnTo],
            ]}
            button="Save"
            cancel={ownSecondFactorPath}
          >
            <TextField
              id={codeField}
              label="Code"
              hint="The six digits that the app shows."
              inputMode="numeric"
              autocomplete="one-time-code"
              maxLength={10}
            />
          </Form>
        </li>
      </ol>
    ),
  };
}
