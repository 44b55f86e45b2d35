import { maximumPasskeyName, passkeyNameRule } from '../../../platform/accounts/name-rules.js';
import { browserName } from '../../../platform/pages/browser-name.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import { ErrorSummary, type FormError, TextField } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { ownSecondFactorPath } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { maximumPasskeys } from '../passkeys.js';
import { afterAddition, afterRemoval, parentCrumb, returnAddress, returnField } from './after-change.js';
import type { OwnSecondFactorDependencies } from './dependencies.js';
import { credentialField, NoPasskeyHint, PasskeyForm } from './passkey-form.js';

const path = `${ownSecondFactorPath}/passkeys`;
const nameField = 'name';

const messages = {
  invalid: 'The passkey was not accepted. Try again.',
  exists: 'This passkey was added before.',
  too_many: `You have ${maximumPasskeys} passkeys already. Remove one first.`,
} as const;

/** Pages that add and remove passkeys. */
export function passkeyPages(site: PageRouter, { passkeys, baseUrl }: OwnSecondFactorDependencies): void {
  const show = async (
    context: PageContext,
    { name, errors = [] }: { name: string; errors?: readonly FormError[] },
  ) => {
    const options = await passkeys.additionOptions(context.user, context.csrfToken);
    const returnTo = returnAddress(context, baseUrl);
    const status = errors.length === 0 ? 200 : 400;
    return { script: true, status, page: <PasskeyPage {...{ context, name, errors, options, returnTo }} /> };
  };

  site.get(path, (context) => show(context, { name: browserName(context.userAgent ?? null) }));

  site.post(path, async (context) => {
    const { form, sessionId, stage, csrfToken, auditContext } = context;
    const name = form.text(nameField);
    const wrong = passkeyNameRule(name);
    if (wrong !== undefined) {
      return show(context, { name, errors: [{ field: nameField, message: sentence('The name', wrong) }] });
    }
    const response = { credential: form.secret(credentialField), csrfToken };
    const outcome = await passkeys.add(auditContext, { response, name, session: { sessionId, stage } });
    if (outcome.kind !== 'added') {
      return show(context, { name, errors: [{ field: nameField, message: messages[outcome.kind] }] });
    }
    const returnTo = returnAddress(context, baseUrl);
    return afterAddition(context, outcome, { added: 'passkey_added', returnTo });
  });

  site.get(`${path}/:id/remove`, async () => ({ redirect: ownSecondFactorPath }));
  site.post(`${path}/:id/remove`, async ({ auditContext, parameter }) => {
    const id = parameter('id');
    if (!isRecordId(id)) throw recordNotFound();
    return afterRemoval(await passkeys.remove(auditContext, id), 'passkey_removed');
  });
}

function PasskeyPage({
  context,
  name,
  errors,
  options,
  returnTo,
}: {
  context: PageContext;
  name: string;
  errors: readonly FormError[];
  options: object;
  returnTo: string;
}) {
  const title = 'Add a passkey';
  return (
    <SitePage
      context={context}
      title={title}
      hasErrors={errors.length > 0}
      current="account"
      parent={parentCrumb}
      script="passkey.js"
    >
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <NoPasskeyHint>
        This needs JavaScript and a browser with passkeys. You can set up an authenticator app without them.
      </NoPasskeyHint>
      <PasskeyForm
        action={path}
        csrfToken={context.csrfToken}
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
          error={errors.find(({ field }) => field === nameField)?.message}
        />
      </PasskeyForm>
      <p>
        <a href={ownSecondFactorPath}>Cancel</a>
      </p>
    </SitePage>
  );
}
