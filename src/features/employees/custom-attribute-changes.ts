import { isDeepStrictEqual } from 'node:util';
import type { AuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { normalizeNfc } from '../../platform/contract/outside-text.js';
import type { Database } from '../../platform/database/client.js';
import {
  type AttributeError,
  type AttributeSettings,
  findNewAttributeErrors,
  findSettingsErrors,
  maximumAttributes,
  type NewAttribute,
} from './custom-attribute-rules.js';
import { type CustomAttribute, readCustomAttributes, withdrawFromApplications } from './custom-attributes.js';
import { formatCustomValue } from './custom-values.js';
import { absentValue, valuesSeparator } from './employee-event-details.js';

interface Invalid {
  readonly kind: 'invalid';
  readonly errors: readonly AttributeError[];
}

/** `purging`: the attribute is being deleted with its values, and can no longer be changed. */
type Missing = { readonly kind: 'not_found' | 'purging' };

type CreatedAttribute =
  | { readonly kind: 'created'; readonly attribute: Pick<CustomAttribute, 'key' | 'label'> }
  | { readonly kind: 'limit_reached'; readonly limit: number }
  | Invalid;

type UpdatedAttribute =
  | { readonly kind: 'updated' | 'unchanged' }
  /** The stored settings are not the expected ones. */
  | { readonly kind: 'conflict'; readonly stored: CustomAttribute }
  | Invalid
  | Missing;

type ChangedState = { readonly kind: 'changed' | 'unchanged' } | Missing;

type RequestedPurge =
  | { readonly kind: 'requested' | 'unchanged' | 'not_found' }
  /** Only an archived attribute can be deleted. */
  | { readonly kind: 'not_archived' };

/** Changes of the custom attributes of accounts. Each one is a transaction together with its audit event. */
export class CustomAttributeChanges {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /** Adds an attribute. No employee has a value, and no application may read it. */
  create(context: AuditContext, given: NewAttribute): Promise<CreatedAttribute> {
    return change(this.#prisma, context, lock.account, async (unit): Promise<CreatedAttribute> => {
      const { accountId, at } = unit.context;
      const attribute = { ...given, ...normalized(given) };
      const others = await readCustomAttributes(unit.tx, accountId);
      const errors = findNewAttributeErrors(attribute, others);
      if (errors.length > 0) return { kind: 'invalid', errors };
      if (others.length >= maximumAttributes) return { kind: 'limit_reached', limit: maximumAttributes };
      const { key, label, type } = attribute;
      await unit.tx.customAttribute.create({
        data: {
          ...{ accountId, key, type, createdAt: at, updatedAt: at },
          ...toStored(attribute),
        },
      });
      // A form can have stored the name of a deleted attribute after it was deleted.
      await withdrawFromApplications(unit.tx, accountId, key);
      const settings = settingTexts(attribute).filter(([, text]) => text !== absentValue);
      await unit.record('custom_attribute.created', { key, label, type, ...Object.fromEntries(settings) });
      return { kind: 'created', attribute: { key, label } };
    });
  }

  /**
   * Changes the settings of an attribute. Absent ones are not changed.
   *
   * @param expected the settings that were edited. When the stored ones differ, nothing is changed.
   */
  update(
    context: AuditContext,
    {
      key,
      changes,
      expected,
    }: { key: string; changes: Partial<AttributeSettings>; expected?: AttributeSettings },
  ): Promise<UpdatedAttribute> {
    return this.#change<UpdatedAttribute>(context, key, async (unit, stored, others) => {
      if (stored.purgeRequestedAt !== null) return { kind: 'purging' };
      if (expected !== undefined && !isDeepStrictEqual(toStored(expected), toStored(stored)))
        return { kind: 'conflict', stored };
      const after = normalized({ ...stored, ...changes });
      const errors = findSettingsErrors({ ...after, type: stored.type }, others);
      if (errors.length > 0) return { kind: 'invalid', errors };
      const details = changedTexts(stored, after);
      if (Object.keys(details).length === 0) return { kind: 'unchanged' };
      await store(unit, key, toStored(after));
      await unit.record('custom_attribute.updated', { key, label: stored.label, ...details });
      return { kind: 'updated' };
    });
  }

  /** Archives an attribute: its values are kept, and neither shown nor changed. */
  archive(context: AuditContext, key: string): Promise<ChangedState> {
    return this.#change<ChangedState>(context, key, async (unit, stored) => {
      if (stored.purgeRequestedAt !== null) return { kind: 'purging' };
      if (stored.archivedAt !== null) return { kind: 'unchanged' };
      await store(unit, key, { archivedAt: unit.context.at });
      await unit.record('custom_attribute.archived', { key, label: stored.label });
      return { kind: 'changed' };
    });
  }

  /** Restores an archived attribute with its values. */
  restore(context: AuditContext, key: string): Promise<ChangedState> {
    return this.#change<ChangedState>(context, key, async (unit, stored) => {
      if (stored.purgeRequestedAt !== null) return { kind: 'purging' };
      if (stored.archivedAt === null) return { kind: 'unchanged' };
      await store(unit, key, { archivedAt: null });
      await unit.record('custom_attribute.restored', { key, label: stored.label });
      return { kind: 'changed' };
    });
  }

  /** Requests to delete an archived attribute with its values. Until this is done, its key cannot be used again. */
  requestPurge(context: AuditContext, key: string): Promise<RequestedPurge> {
    return this.#change<RequestedPurge>(context, key, async (unit, stored) => {
      if (stored.purgeRequestedAt !== null) return { kind: 'unchanged' };
      if (stored.archivedAt === null) return { kind: 'not_archived' };
      await store(unit, key, { purgeRequestedAt: unit.context.at });
      await unit.record('custom_attribute.purge_requested', { key, label: stored.label });
      return { kind: 'requested' };
    });
  }

  #change<Outcome extends { readonly kind: string }>(
    context: AuditContext,
    key: string,
    work: (unit: Unit, stored: CustomAttribute, others: readonly CustomAttribute[]) => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: 'not_found' }> {
    return change(this.#prisma, context, lock.account, async (unit) => {
      const attributes = await readCustomAttributes(unit.tx, context.accountId);
      const stored = attributes.find((attribute) => attribute.key === key);
      if (stored === undefined) return { kind: 'not_found' };
      const others = attributes.filter((attribute) => attribute !== stored);
      return await work(unit, stored, others);
    });
  }
}

async function store(
  { tx, context: { accountId, at } }: Unit,
  key: string,
  data: Partial<ReturnType<typeof toStored>> & { archivedAt?: Date | null; purgeRequestedAt?: Date },
): Promise<void> {
  await tx.customAttribute.update({
    where: { accountId_key: { accountId, key } },
    data: { ...data, updatedAt: at },
  });
}

/** Settings as they are stored: texts in Unicode normalization form C, without white space at their ends. */
function normalized({ label, description, choices, ...settings }: AttributeSettings): AttributeSettings {
  const text = (given: string) => normalizeNfc(given.trim());
  return {
    ...settings,
    label: text(label),
    description: text(description ?? '') || null,
    choices: choices.map(text),
  };
}

function toStored({ label, description, choices, required, sensitive }: AttributeSettings) {
  return { label, description, choices: [...choices], required, sensitive };
}

/** The settings as texts for audit events, in their order. */
function settingTexts({ label, description, choices, required, sensitive }: AttributeSettings) {
  return Object.entries({
    label,
    description: description ?? absentValue,
    choices: formatCustomValue(choices) || absentValue,
    required: formatCustomValue(required),
    sensitive: formatCustomValue(sensitive),
  });
}

/** The settings that a change changes, with their texts before and after. */
function changedTexts(before: AttributeSettings, after: AttributeSettings): Record<string, string> {
  const earlier = Object.fromEntries(settingTexts(before));
  const changed = settingTexts(after).filter(([name, text]) => earlier[name] !== text);
  return Object.fromEntries(
    changed.map(([name, text]) => [name, [earlier[name], text].join(valuesSeparator)]),
  );
}
