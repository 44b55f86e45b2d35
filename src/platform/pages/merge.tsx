import { hash } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { column, DataTable } from './data-table.js';
import { asSubmitted, type Fields, lines } from './fields.js';
import type { HiddenFields } from './form-parts.js';

/** A value of a form that several users edit. */
export interface MergedField<Form> {
  /** Member of the form with the value: a text, or values that JSON can have. */
  readonly member: keyof Form & string;
  readonly label: string;
  /** `id` of the field. Default: the member. */
  readonly id?: string;
  /** Shows a value that is not a text. */
  readonly show?: (form: Form) => ComponentChildren;
}

/** What identifies the values that a form was opened with, by their members: short texts, and hashes of others. */
export type OpenedValues = Readonly<Record<string, string>>;

/** The value as a form submits it. White space at the ends of lines does not count, and stored values can have it. */
function normalize(value: unknown): unknown {
  if (typeof value === 'string') {
    return asSubmitted(lines(value).join('\n'));
  }
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, normalize(member)]));
}

/** Text that is the same for equal values. */
function textOf(value: unknown): string {
  const normalized = normalize(value);
  return typeof normalized === 'string' ? normalized : JSON.stringify(normalized);
}

/** Whether two values are the same in a form, as it is merged. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

/** Longer texts would make a form too large for a request. */
const maximumTextLength = 64;

function identify(value: unknown): string {
  const text = textOf(value);
  return text.length <= maximumTextLength ? text : hash('sha256', text, 'base64url');
}

function openedName(member: string): string {
  return `opened_${member}`;
}

/** The values of a form that is opened. */
export function openedValues<Form>(form: Form, fields: readonly MergedField<Form>[]): OpenedValues {
  return Object.fromEntries(fields.map(({ member }) => [member, identify(form[member])]));
}

/** Hidden fields with the values that a form was opened with. */
export function openedFields(opened: OpenedValues): HiddenFields {
  return Object.entries(opened).map(([member, value]) => [openedName(member), value]);
}

/** The values that a submitted form was opened with. */
export function readOpened<Form>(form: Fields, fields: readonly MergedField<Form>[]): OpenedValues {
  return Object.fromEntries(fields.map(({ member }) => [member, form.text(openedName(member))]));
}

/**
 * Merges a submitted form with what others have stored since it was opened: the values of the user where the user has changed
 * them, otherwise those that are stored. A form that does not have the values that it was opened with conflicts wherever it
 * would replace a value.
 *
 * @returns `conflicts`: what the user and someone else have changed differently
 */
export function mergeForm<Form>(
  fields: readonly MergedField<Form>[],
  { opened, submitted, stored }: { opened: OpenedValues; submitted: Form; stored: Form },
): { readonly form: Form; readonly conflicts: readonly MergedField<Form>[] } {
  const conflicts: MergedField<Form>[] = [];
  const taken: Record<string, unknown> = {};
  for (const field of fields) {
    const { member } = field;
    const { [member]: before = '' } = opened;
    const [mine, now] = [identify(submitted[member]), identify(stored[member])];
    if (mine === before) taken[member] = normalize(stored[member]);
    else if (before !== now && mine !== now) conflicts.push(field);
  }
  return { form: { ...submitted, ...(taken as Partial<Form>) }, conflicts };
}

/** The values that the user and someone else have changed differently. */
export function Conflict<Form>({
  fields,
  stored,
  form,
}: {
  fields: readonly MergedField<Form>[];
  stored: Form;
  form: Form;
}) {
  return (
    <section aria-labelledby="conflict">
      <h2 id="conflict">Changed by another user</h2>
      <p>All other changes of both are in the form.</p>
      <DataTable
        caption="Values that differ"
        columns={[
          column<MergedField<Form>>('Attribute', ({ label }) => label),
          column<MergedField<Form>>('Saved', (field) => <Value field={field} form={stored} />),
          column<MergedField<Form>>('Yours', (field) => <Value field={field} form={form} />),
        ]}
        rows={fields}
      />
      <h2>Your values</h2>
    </section>
  );
}

function Value<Form>({ field: { member, show }, form }: { field: MergedField<Form>; form: Form }) {
  const text = textOf(form[member]);
  if (text === '' || text === '[]') return <>–</>;
  return <bdi>{show === undefined ? text : show(form)}</bdi>;
}
