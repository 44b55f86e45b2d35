import { maximumPasskeyName, passkeyNameRule } from '../../../platform/accounts/name-rules.js';
import { browserName } from '../../../platform/pages/browser-name.js';
import { confirmPage } from '../../../platform/pages/define-pages.js';
import { requestedId } from '../../../platform/pages/fields.js';
import { TextField } from '../../../platform/pages/form-parts.js';
import type { PageContext, PageHandler, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { ownSecondFactorPath } from '../../../platform/pages/paths.js';
import { TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { found } from '../../../platform/problems/problem.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { maximumPasskeys } from '../passkeys.js';
import {
  afterAddition,
  afterRemoval,
  type OwnSecondFactorDependencies,
  parentCrumb,
  returnField,
  returnPath,
} from './own-second-factor-pages.js';
import { credentialField, NoPasskeyHint, PasskeyForm } from './passkey-form.js';

const path = `${ownSecondFactorPath}/passkeys`;
const nameField = 'name';

const messages = {
  invalid: 'The passkey was not accepted. Try again.',
  exists: 'This passkey was added before.',
  limit_reached: `You have ${maximumPasskeys} passkeys already. Remove one first.`,
} as const;

/** Pages that add and remove passkeys. */
export function passkeyPages(site: PageRouter, { passkeys, baseUrl }: OwnSecondFactorDependencies): void {
  const show = async (context: PageContext, name: string): Promise<PageView> => {
    const options = await passkeys.additionOptions(context.user, context.csrfToken);
    return {
      title: 'Add a passkey',
      parent: parentCrumb,
      script: 'passkey.js',
      body: <AdditionForm {...{ name, options }} returnTo={returnPath(context, baseUrl)} />,
    };
  };

  site.get(path, (context) => show(context, browserName(context.userAgent ?? null)));

  const save: PageHandler = async (context) => {
    const { form, sessionId, stage, csrfToken, auditContext } = context;
    const name = form.text(nameField);
    const failed = async (message: string) => ({
      ...(await show(context, name)),
      errors: [{ field: nameField, message }],
    });
    const wrong = passkeyNameRule(name);
    if (wrong !== undefined) return failed(sentence('The name', wrong));
    const response = { credential: form.secret(credentialField), csrfToken };
    const outcome = await passkeys.add(auditContext, { response, name, session: { sessionId, stage } });
    if (outcome.kind !== 'added') return failed(messages[outcome.kind]);
    const returnTo = returnPath(context, baseUrl);
    return afterAddition(context, outcome, { added: 'passkey_added', returnTo });
  };
  site.post(path, save, { recentPassword: ['form', 'adds a second factor'] });

  confirmPage(site, `${path}/:id/remove`, {
    reason: 'removes a second factor',
    view: async (context) => {
      const id = requestedId(context);
      const passkey = found((await passkeys.list(context.user)).find((known) => known.id === id));
      return {
        title: `Remove the passkey ${passkey.name}?`,
        parent: parentCrumb,
        button: 'Remove passkey',
        cancel: ownSecondFactorPath,
        body: (
          <div class="warning">
            <p>
              You can no longer sign in with it. Last used:{' '}
              <strong>
                <TimestampOrNever at={passkey.lastUsedAt} />
              </strong>
              . Delete it on your device too.
            </p>
          </div>
        ),
      };
    },
    save: async (context) =>
      afterRemoval(await passkeys.remove(context.auditContext, requestedId(context)), 'passkey_removed'),
  });
}

function AdditionForm({ name, options, returnTo }: { name: string; options: object; returnTo: string }) {
  return (
    <>
      <NoPasskeyHint>
        This needs JavaScript and a browser with passkeys. You can set up an authenticator app without them.
      </NoPasskeyHint>
      <PasskeyForm
        action={path}
        kind="create"
        options={options}
        fields={[[returnField, returnTo]]}
        button="Continue"
      >
        <TextField
          id={nameField}
          label="Name"
          hint="By which you recognize the device later."
          value={name}
          autocomplete="off"
          maxLength={maximumPasskeyName}
        />
      </PasskeyForm>
      <p>
        <a href={ownSecondFactorPath}>Cancel</a>
      </p>
    </>
  );
}
