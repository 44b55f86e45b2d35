import { type ApplicationDetails, requestedApplication } from '../../../oauth/clients/application-details.js';
import { tabAddress } from '../../../oauth/clients/application-tabs.js';
import { ClientKeysError, keySetUrlError, readKeySet, usesKeys } from '../../../oauth/clients/client-keys.js';
import { formNonce, formPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import {
  FieldError,
  Form,
  type FormError,
  TextField,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { NewKeys } from '../client-credentials.js';
import type { ApplicationPagesDependencies } from '../index.js';
import { ExpiryFields, type ExpiryForm, noExpiry, readExpiry, resolveExpiry } from './expiry-fields.js';
import { secretPage } from './secrets.js';

const fieldIds = { jwks: 'jwks', jwksUri: 'jwks_uri' } as const;

interface KeysForm {
  readonly jwks: string;
  readonly jwksUri: string;
}

/** Pages that replace the secrets of an application by keys, and the keys by a secret. */
export function keyPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { clientCredentials, baseUrl } = dependencies;
  const requested = async (context: PageContext) => {
    const application = await requestedApplication(context, dependencies);
    if (application.isInstallation || application.clientType === 'public') throw recordNotFound();
    return application;
  };

  formPage<KeysForm>(site, applicationAddress(':id', 'keys'), {
    recentPassword: ['form', 'changes how an application authenticates'],
    initial: async (context) => {
      const { jwks, jwksUri } = await requested(context);
      return { jwks: jwks === null ? '' : JSON.stringify(jwks, null, 2), jwksUri: jwksUri ?? '' };
    },
    read: ({ form }) => ({
      jwks: form.text(fieldIds.jwks).trim(),
      jwksUri: form.text(fieldIds.jwksUri).trim(),
    }),
    view: async (context, form) => {
      const application = await requested(context);
      return {
        title: `Keys of ${application.name}`,
        body: <KeysFields application={application} form={form} />,
      };
    },
    save: async (context, form) => {
      const { id: applicationId } = await requested(context);
      const keys = readKeys(form);
      if (Array.isArray(keys)) return { errors: keys };
      const outcome = await clientCredentials.useKeys(context.auditContext, { applicationId, keys });
      if (outcome === 'not_found') throw recordNotFound();
      return { redirect: withFlash(tabAddress(applicationId, 'credentials'), 'keys_saved') };
    },
  });

  formPage<ExpiryForm>(site, applicationAddress(':id', 'keys', 'remove'), {
    recentPassword: ['form', 'creates a client secret'],
    initial: () => noExpiry,
    read: readExpiry,
    view: async (context, form) => {
      const application = await requested(context);
      if (!usesKeys(application)) throw recordNotFound();
      const { id, name } = application;
      const credentials = tabAddress(id, 'credentials');
      return {
        title: 'Use a client secret instead of keys?',
        parent: { title: `Credentials of ${name}`, href: credentials },
        body: (
          <>
            <div class="warning">
              <p>
                The keys of <strong>{name}</strong> are removed, and clients that use them can no longer get
                tokens. Tokens that were already issued stay valid until they expire.
              </p>
            </div>
            <Form
              danger
              hidden={[['form', formNonce(context)]]}
              button="Create a secret"
              cancel={credentials}
            >
              <ExpiryFields form={form} />
            </Form>
          </>
        ),
      };
    },
    save: async (context, form) => {
      const { id } = await requested(context);
      const nonce = formNonce(context);
      const expiry = resolveExpiry(context, form);
      if ('errors' in expiry) return expiry;
      const { expiresAt } = expiry;
      const created = await clientCredentials.useSecret(context.auditContext, {
        applicationId: id,
        nonce,
        expiresAt,
      });
      if (created.kind === 'created')
        return secretPage('Secret created', { ...created, id, expiresAt, baseUrl });
      if (created.kind === 'not_found') throw recordNotFound();
      const credentials = tabAddress(id, 'credentials');
      return {
        redirect: created.kind === 'repeated' ? withFlash(credentials, 'secret_exists') : credentials,
      };
    },
  });
}

/** The keys of a form, or its errors. */
function readKeys({ jwks, jwksUri }: KeysForm): NewKeys | FormError[] {
  if ((jwks === '') === (jwksUri === ''))
    return [{ field: fieldIds.jwks, message: 'Enter either a key set or its URL.' }];
  if (jwksUri !== '') {
    const message = keySetUrlError(jwksUri);
    return message === undefined ? { jwksUri } : [{ field: fieldIds.jwksUri, message }];
  }
  try {
    return { jwks: readKeySet(JSON.parse(jwks)) };
  } catch (error) {
    if (error instanceof ClientKeysError) return [{ field: fieldIds.jwks, message: error.message }];
    if (error instanceof SyntaxError) return [{ field: fieldIds.jwks, message: 'The key set must be JSON.' }];
    throw error;
  }
}

function KeysFields({ application, form }: { application: ApplicationDetails; form: KeysForm }) {
  const hint = `${fieldIds.jwks}-hint`;
  return (
    <Form button="Save keys" cancel={tabAddress(application.id, 'credentials')}>
      <p>
        The application signs each request for tokens with a private key that only it has (
        <code>private_key_jwt</code>). Enter its public keys or their URL.{' '}
        {!usesKeys(application) && (
          <strong>They replace its client secrets, which stop working at once.</strong>
        )}
      </p>
      <div class="field">
        <label for={fieldIds.jwks}>Key set</label>
        <p class="hint" id={hint}>
          A JSON Web Key Set with public keys: EC with P-256, RSA with 2048 to 4096 bits, or OKP with Ed25519.
        </p>
        <FieldError field={fieldIds.jwks} />
        <textarea
          class="code"
          id={fieldIds.jwks}
          name={fieldIds.jwks}
          rows={10}
          autocomplete="off"
          spellcheck={false}
          {...useDescription(fieldIds.jwks, hint)}
        >
          {form.jwks}
        </textarea>
      </div>
      <TextField
        id={fieldIds.jwksUri}
        label="URL of the key set"
        hint="Starts with https://. Keys can then be rotated without a change here."
        value={form.jwksUri}
        required={false}
        autocomplete="off"
      />
    </Form>
  );
}
