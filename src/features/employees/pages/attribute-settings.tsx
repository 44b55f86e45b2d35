import { Badge } from '../../../platform/pages/badge.js';
import { type Column, column, DataTable, Empty } from '../../../platform/pages/data-table.js';
import {
  actionForm,
  confirmPage,
  editPage,
  formPage,
  ImmediateEffects,
  rejected,
  type SettingsPage,
} from '../../../platform/pages/define-pages.js';
import { type Flash, withFlash } from '../../../platform/pages/flash.js';
import { ButtonForm } from '../../../platform/pages/form-parts.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import { suggestKey } from '../custom-attribute-rules.js';
import { type CustomAttribute, customTypeLabels } from '../custom-attributes.js';
import {
  AttributeFields,
  type AttributeForm,
  attributeFieldIds,
  attributeFormErrors,
  emptyAttributeForm,
  mergedAttributeFields,
  readAttributeForm,
  storedAttributeForm,
} from './attribute-form.js';
import type { EmployeePagesDependencies } from './requested.js';

type Dependencies = Pick<EmployeePagesDependencies, 'customAttributeChanges' | 'readCustomAttributes'>;

const root = settings.employeeAttributes;

function attributeAddress(key: string, page: 'edit' | 'archive' | 'restore' | 'delete'): string {
  return `${root}/${key}/${page}`;
}

/** Settings → Employee attributes. */
export const attributePages: SettingsPage<Dependencies> = {
  title: 'Employee attributes',
  path: root,
  audience: 'administrators',
  register(site, dependencies) {
    listPage(site, dependencies);
    createPage(site, dependencies);
    editAttributePage(site, dependencies);
    statePages(site, dependencies);
  },
};

/**
 * The attribute that the path names.
 *
 * @throws {Problem} 404 `not_found` when the account has none with the key, or it is being deleted
 */
async function requestedAttribute(
  { user: { accountId }, parameter }: PageContext,
  { readCustomAttributes }: Dependencies,
): Promise<CustomAttribute> {
  const attributes = await readCustomAttributes(accountId);
  const attribute = found(attributes.find(({ key }) => key === parameter('key')) ?? null);
  if (attribute.purgeRequestedAt !== null) throw recordNotFound();
  return attribute;
}

function listPage(site: PageRouter, { readCustomAttributes }: Dependencies): void {
  site.get(root, async ({ user: { accountId } }) => {
    const attributes = await readCustomAttributes(accountId);
    return {
      title: 'Employee attributes',
      actions: attributes.length > 0 && <AddAttribute />,
      body:
        attributes.length === 0 ? (
          <Empty title="No employee attributes yet.">
            <p>
              Add what your account stores about its employees besides the attributes that all accounts have.
            </p>
            <AddAttribute />
          </Empty>
        ) : (
          <>
            <p>Attributes that your account has added to its employees.</p>
            <DataTable caption="Employee attributes" columns={columns} rows={attributes} />
          </>
        ),
    };
  });
}

function AddAttribute() {
  return (
    <a class="button" href={`${root}/new`}>
      Add attribute
    </a>
  );
}

const columns: readonly Column<CustomAttribute>[] = [
  column('Label', ({ key, label, archivedAt, purgeRequestedAt }) => (
    <>
      {purgeRequestedAt === null ? (
        <a href={attributeAddress(key, 'edit')}>
          <bdi>{label}</bdi>
        </a>
      ) : (
        <bdi>{label}</bdi>
      )}{' '}
      {purgeRequestedAt !== null ? (
        <Badge tone="ended">Being deleted</Badge>
      ) : (
        archivedAt !== null && <Badge tone="ended">Archived</Badge>
      )}
    </>
  )),
  column('Key', ({ key }) => <code>{key}</code>),
  column('Type', ({ type }) => customTypeLabels[type], { kind: 'short' }),
  column('Required', ({ required }) => (required ? 'Yes' : 'No'), { kind: 'short' }),
  column('Sensitive', ({ sensitive }) => (sensitive ? 'Yes' : 'No'), { kind: 'short' }),
];

function createPage(site: PageRouter, { customAttributeChanges }: Dependencies): void {
  formPage<AttributeForm>(site, root, {
    page: `${root}/new`,
    recentPassword: ['no', 'adds an attribute without values'],
    initial: () => emptyAttributeForm,
    read: ({ form }) => readAttributeForm(form),
    view: (_, form) => ({
      title: 'Add attribute',
      body: (
        <>
          <p>Applications cannot read the attribute until you choose it for them.</p>
          <AttributeFields isNew action={root} back={root} button="Add attribute" form={form} />
        </>
      ),
    }),
    save: async (context, form) => {
      const attribute = { ...form, key: form.key || suggestKey(form.label) };
      const outcome = await customAttributeChanges.create(context.auditContext, attribute);
      switch (outcome.kind) {
        case 'created':
          return { redirect: withFlash(root, 'attribute_created') };
        case 'invalid':
          return { errors: attributeFormErrors(outcome.errors), form: attribute };
        case 'limit_reached': {
          const message = `An account can have ${outcome.limit} attributes, with those that are archived. Delete one permanently before you add another.`;
          return rejected(attributeFieldIds.label, message, 409);
        }
      }
    },
  });
}

function editAttributePage(site: PageRouter, dependencies: Dependencies): void {
  editPage<CustomAttribute, AttributeForm>(site, attributeAddress(':key', 'edit'), {
    recentPassword: ['form', 'decides who sees values of employees'],
    load: (context) => requestedAttribute(context, dependencies),
    toForm: (_, attribute) => storedAttributeForm(attribute),
    read: ({ form }, { key, type, choices }) => {
      const submitted = readAttributeForm(form);
      return { ...submitted, key, type, choices: choices.length === 0 ? [] : submitted.choices };
    },
    merged: mergedAttributeFields,
    view: (_, { stored, form }) => ({
      title: `Edit ${stored.label}`,
      actions: <Actions attribute={stored} />,
      body: (
        <>
          <p>
            Key: <code>{stored.key}</code>. Type: {customTypeLabels[stored.type]}.
          </p>
          <AttributeFields back={root} button="Save changes" form={form} />
        </>
      ),
    }),
    save: async (context, { stored, form }) => {
      const { key } = stored;
      const { label, description, choices, required, sensitive } = form;
      const outcome = await dependencies.customAttributeChanges.update(context.auditContext, {
        key,
        changes: { label, description, choices, required, sensitive },
        expected: stored,
      });
      switch (outcome.kind) {
        case 'updated':
        case 'unchanged':
          return { redirect: withFlash(root, 'attribute_updated') };
        case 'conflict':
          return { conflict: outcome.stored };
        case 'invalid':
          return { errors: attributeFormErrors(outcome.errors) };
        case 'purging':
        case 'not_found':
          throw recordNotFound();
      }
    },
  });
}

/** What can be done with an attribute besides editing it. */
function Actions({ attribute: { key, archivedAt } }: { attribute: CustomAttribute }) {
  if (archivedAt === null) {
    return (
      <a class="button secondary" href={attributeAddress(key, 'archive')}>
        Archive
      </a>
    );
  }
  return (
    <div class="row-actions">
      <ButtonForm action={attributeAddress(key, 'restore')}>Restore</ButtonForm>
      <a class="button secondary" href={attributeAddress(key, 'delete')}>
        Delete permanently
      </a>
    </div>
  );
}

/** Pages that archive, restore and delete an attribute. */
function statePages(site: PageRouter, dependencies: Dependencies): void {
  const { customAttributeChanges: changes } = dependencies;
  confirmPage(site, attributeAddress(':key', 'archive'), {
    reason: 'hides the values of all employees',
    view: async (context) => {
      const { key, label, archivedAt } = await requestedAttribute(context, dependencies);
      if (archivedAt !== null) return { redirect: attributeAddress(key, 'edit') };
      return {
        title: `Archive ${label}?`,
        button: 'Archive attribute',
        cancel: attributeAddress(key, 'edit'),
        body: (
          <div class="warning">
            <ImmediateEffects />
            <ul>
              <li>The attribute is no longer shown, and its values cannot be changed.</li>
              <li>Applications can no longer read it.</li>
            </ul>
            <p>The values are kept. When you restore the attribute, they are shown again.</p>
          </div>
        ),
      };
    },
    save: async (context) => {
      const { kind } = await changes.archive(context.auditContext, context.parameter('key'));
      return afterChange(kind, 'attribute_archived');
    },
  });

  actionForm(site, attributeAddress(':key', 'restore'), {
    recentPassword: ['form', 'shows the values of all employees again, also to applications'],
    back: ({ parameter }) => attributeAddress(parameter('key'), 'edit'),
    save: async (context) => {
      const { kind } = await changes.restore(context.auditContext, context.parameter('key'));
      return afterChange(kind, 'attribute_restored');
    },
  });

  confirmPage(site, attributeAddress(':key', 'delete'), {
    reason: 'destroys the values of all employees',
    view: async (context) => {
      const { key, label, archivedAt } = await requestedAttribute(context, dependencies);
      if (archivedAt === null) return { redirect: attributeAddress(key, 'edit') };
      return {
        title: `Delete ${label} permanently?`,
        button: 'Delete permanently',
        cancel: attributeAddress(key, 'edit'),
        body: (
          <div class="warning">
            <p>
              The values of all employees are deleted, also from events, the audit log, imports and the
              filters of reports. A report that filters by the attribute cannot run until it is edited. A file
              that is not imported yet is stored until its import ends, or for 24 hours after its last step.
            </p>
            <p>This cannot be undone. The key can be used again when all values are deleted.</p>
          </div>
        ),
      };
    },
    save: async (context) => {
      const { kind } = await changes.requestPurge(context.auditContext, context.parameter('key'));
      if (kind === 'not_archived') return { redirect: withFlash(root, 'attribute_not_archived') };
      return afterChange(kind, 'attribute_purge_requested');
    },
  });
}

function afterChange(kind: string, flash: Flash): PageResponse {
  if (kind === 'not_found' || kind === 'purging') throw recordNotFound();
  return { redirect: withFlash(root, flash) };
}
