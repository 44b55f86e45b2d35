import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { tabAddress } from '../../../oauth/clients/application-tabs.js';
import { editPage, formNonce, formPage, rejected } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import {
  FieldError,
  Form,
  type HiddenFields,
  TextField,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { withoutQuery } from '../webhook-endpoint.js';
import { maximumEndpoints } from '../webhook-endpoints.js';
import {
  createRules,
  type EndpointForm,
  emptyForm,
  findErrors,
  formOf,
  mergedFields,
  type Rules,
  readForm,
  typesField,
  typesOf,
} from './endpoint-values.js';
import {
  confidentialApplication,
  endpointAddress,
  type RequestedEndpoint,
  requestedEndpoint,
  type WebhookPagesDependencies,
} from './requested.js';
import { endpointSecretPage } from './secret-page.js';

/** The scopes without which an application gets no events. It needs one of them. */
const eventScopes = ['employees:read', 'reports:read'];

function hasEventScope(scopes: readonly string[]): boolean {
  return scopes.some((scope) => eventScopes.includes(scope));
}

/** Forms that add a webhook endpoint, and change it. */
export function endpointForms(site: PageRouter, dependencies: WebhookPagesDependencies): void {
  addForm(site, dependencies);
  editForm(site, dependencies);
}

function addForm(site: PageRouter, dependencies: WebhookPagesDependencies): void {
  const { endpoints, calls } = dependencies.webhooks;
  const rules = createRules(dependencies.contract);
  const list = tabAddress(':id', 'webhooks');

  formPage<{ application: ApplicationDetails; values: EndpointForm; nonce: string }>(site, list, {
    page: `${list}/new`,
    recentPassword: ['form', 'sends records to another server, and creates a secret'],
    initial: async (context) => ({
      application: await confidentialApplication(context, dependencies),
      values: emptyForm,
      nonce: formNonce(context),
    }),
    read: async (context) => ({
      application: await confidentialApplication(context, dependencies),
      values: readForm(context.form),
      nonce: formNonce(context),
    }),
    view: (_, { application: { id, name, scopes }, values, nonce }) => ({
      title: 'Add a webhook endpoint',
      parent: { title: `Webhooks of ${name}`, href: tabAddress(id, 'webhooks') },
      body: (
        <>
          <p>
            {name} gets a message at this address when employees or reports change. Its developer tells you
            the address, and needs the secret that the next page shows.
          </p>
          {!hasEventScope(scopes) && <MissingScope id={id} />}
          <EndpointFields
            rules={rules}
            values={values}
            action={tabAddress(id, 'webhooks')}
            hidden={[['form', nonce]]}
            button="Add endpoint"
            cancel={tabAddress(id, 'webhooks')}
          />
        </>
      ),
    }),
    save: async (context, { application, values, nonce }) => {
      const { id: applicationId, scopes } = application;
      if (!hasEventScope(scopes))
        return rejected(
          'url',
          `The application may not read employees (scope ${eventScopes.join(' or ')}), so it gets no events.`,
          409,
        );
      const errors = findErrors(values, rules);
      if (errors.length > 0) return { errors };
      const { auditContext } = context;
      const { url, description } = values;
      const content = { url, description: description || null, eventTypes: typesOf(values) };
      const created = await calls.run(auditContext.accountId, context.disconnected(), () =>
        endpoints.create({ ...auditContext, applicationId, nonce }, content),
      );
      switch (created.kind) {
        case 'created':
          return endpointSecretPage('Endpoint added', { application, ...created });
        case 'repeated':
          return { redirect: withFlash(tabAddress(applicationId, 'webhooks'), 'webhook_exists') };
        case 'invalid_url':
          return rejected('url', sentence('The URL', created.violation));
        case 'limit_reached':
          return rejected(
            'url',
            `The application has reached its limit of ${maximumEndpoints} endpoints. Delete one before you add another.`,
            409,
          );
        default:
          throw recordNotFound();
      }
    },
  });
}

function MissingScope({ id }: { id: string }) {
  return (
    <div class="warning">
      <p>
        The application gets no events, because it may not read employees (scope <code>employees:read</code>{' '}
        or <code>reports:read</code>). <a href={applicationAddress(id, 'edit')}>Edit the application</a>
      </p>
    </div>
  );
}

function editForm(site: PageRouter, dependencies: WebhookPagesDependencies): void {
  const { endpoints, calls } = dependencies.webhooks;
  const rules = createRules(dependencies.contract);

  editPage<RequestedEndpoint, EndpointForm>(
    site,
    applicationAddress(':id', 'webhooks', ':endpoint_id', 'edit'),
    {
      recentPassword: ['form', 'sends records to another server'],
      load: (context) => requestedEndpoint(context, dependencies),
      toForm: (_, { endpoint }) => formOf(endpoint),
      read: ({ form }) => readForm(form),
      merged: mergedFields,
      view: (_, { stored, form }) => {
        const url = withoutQuery(stored.endpoint.url);
        const address = endpointAddress(stored);
        return {
          title: `Edit endpoint ${url}`,
          parent: { title: `Endpoint ${url}`, href: address },
          body: (
            <EndpointFields
              rules={rules}
              values={form}
              hasQuery={stored.endpoint.url.includes('?')}
              button="Save changes"
              cancel={address}
            />
          ),
        };
      },
      save: async (context, { stored, form }) => {
        const errors = findErrors(form, rules);
        if (errors.length > 0) return { errors };
        const { owner, endpoint } = stored;
        const before = formOf(endpoint);
        const content = {
          ...(form.url !== before.url && { url: form.url }),
          ...(form.description !== before.description && { description: form.description || null }),
          ...(form.event_types !== before.event_types && { eventTypes: typesOf(form) }),
        };
        const { auditContext } = context;
        if (Object.keys(content).length > 0) {
          const change = () => endpoints.update({ ...auditContext, ...owner }, endpoint.id, content);
          const updated = found(await calls.run(owner.accountId, context.disconnected(), change));
          if ('violation' in updated) return rejected('url', sentence('The URL', updated.violation));
        }
        return { redirect: withFlash(endpointAddress(stored), 'webhook_updated') };
      },
    },
  );
}

function EndpointFields({
  rules,
  values,
  hasQuery = false,
  ...form
}: {
  rules: Rules;
  values: EndpointForm;
  /** Whether the stored URL has a query, which is not shown. */
  hasQuery?: boolean;
  /** Default: the path of the page. */
  action?: string;
  hidden?: HiddenFields;
  button: string;
  cancel: string;
}) {
  return (
    <Form {...form}>
      <TextField
        id="url"
        label="URL"
        hint={
          hasQuery
            ? 'The query of the URL is not shown, because it may contain a secret. It is kept as long as you do not change the URL.'
            : 'It starts with https:// and can be reached from the internet, on port 443 or a port from 8443.'
        }
        type="url"
        value={values.url}
        autocomplete="off"
        maxLength={rules.maximumUrl}
      />
      <TextField
        id="description"
        label="Description (optional)"
        hint="What the messages are for, such as “Payroll”."
        value={values.description}
        autocomplete="off"
        maxLength={rules.maximumDescription}
        required={false}
      />
      <EventTypeFields types={rules.types} chosen={typesOf(values)} />
    </Form>
  );
}

const eventLabels: Readonly<Record<string, string>> = {
  'employee.created': 'Employee added',
  'employee.updated': 'Employee changed',
  'employee.deleted': 'Employee deleted',
  'report.created': 'Report created',
  'report.updated': 'Report changed',
  'report.deleted': 'Report deleted',
};

function EventTypeFields({ types, chosen }: { types: readonly string[]; chosen: readonly string[] }) {
  return (
    <fieldset {...useDescription(typesField, `${typesField}-hint`)}>
      <legend>Events</legend>
      <p class="hint" id={`${typesField}-hint`}>
        Without a selection, all events are sent. Events of reports need the scope <code>reports:read</code>.
      </p>
      <FieldError field={typesField} />
      {types.map((type, index) => (
        <label key={type} class="choice">
          <input
            type="checkbox"
            id={index === 0 ? typesField : `${typesField}_${index}`}
            name="event_types"
            value={type}
            checked={chosen.includes(type)}
          />
          <span>
            {eventLabels[type] !== undefined && `${eventLabels[type]} `}
            <code>{type}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
