import { restrictableAttributes } from '../../platform/contract/employee-attributes.js';
import type { CustomAttribute } from './custom-attributes.js';

/** Names of the attributes that an account can let an application read: those of the contract, then its custom ones. */
export function choosableAttributes(custom: readonly CustomAttribute[]): string[] {
  const active = custom.filter(({ archivedAt }) => archivedAt === null);
  return [...restrictableAttributes, ...active.map(({ name }) => name)];
}

/** The part of a stored choice that pages show. Archived and deleted attributes are shown nowhere. */
export function shownChoice(stored: readonly string[], custom: readonly CustomAttribute[]): string[] {
  return choosableAttributes(custom).filter((name) => stored.includes(name));
}

/** The part of a stored choice that no form shows and each form keeps, so that a restored attribute is readable again. */
export function archivedChoice(stored: readonly string[], custom: readonly CustomAttribute[]): string[] {
  const archived = custom.filter(({ archivedAt }) => archivedAt !== null);
  return archived.map(({ name }) => name).filter((name) => stored.includes(name));
}

/** What a form has submitted, without chosen attributes that were archived while it was open: they are kept anyway. */
export function submittedChoice(
  submitted: readonly string[],
  { stored, custom }: { readonly stored: readonly string[]; readonly custom: readonly CustomAttribute[] },
): string[] {
  const archived = archivedChoice(stored, custom);
  return submitted.filter((name) => !archived.includes(name));
}
