import { type Contract, resolve } from '../../../platform/contract/contract.js';
import type { Fields } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import type { MergedField } from '../../../platform/pages/merge.js';
import { sentence, violation } from '../../../platform/problems/rule-texts.js';
import { type WebhookEndpoint, withoutQuery } from '../webhook-endpoint.js';

/** The values of the form, by the names of its fields. `event_types`: the selected ones, separated by commas. */
export type EndpointForm = Readonly<Record<FieldName, string>>;
type FieldName = (typeof fieldNames)[number];

const fieldNames = ['url', 'description', 'event_types'] as const;

/** `id` of the first checkbox, which errors refer to. */
export const typesField = 'event_types';

export const emptyForm: EndpointForm = { url: '', description: '', event_types: '' };

/** The rules of the contract for the fields. */
export function createRules({ document }: Contract) {
  const { properties = {} } = document.components.schemas.WebhookEndpointCreateRequest ?? {};
  const types = resolve<{ enum: string[] }>(document, properties.event_types?.items);
  const lengthOf = (name: string) => Number(properties[name]?.maxLength);
  return {
    types: types.enum,
    maximumUrl: lengthOf('url'),
    maximumDescription: lengthOf('description'),
  };
}

export type Rules = ReturnType<typeof createRules>;

export function readForm(form: Fields): EndpointForm {
  const types = [...new Set(form.list('event_types'))];
  return {
    url: form.text('url'),
    description: form.text('description'),
    event_types: types.toSorted().join(),
  };
}

/** The values of a stored endpoint. The query of its URL, which may have a secret, is omitted. */
export function formOf({ url, description, eventTypes }: WebhookEndpoint): EndpointForm {
  return {
    url: withoutQuery(url),
    description: description ?? '',
    event_types: eventTypes.toSorted().join(),
  };
}

export function typesOf({ event_types }: EndpointForm): string[] {
  return event_types === '' ? [] : event_types.split(',');
}

/** Errors of values that the service does not check. */
export function findErrors(form: EndpointForm, rules: Rules): FormError[] {
  const { url, description } = form;
  const tooLong = (maximum: number) => violation('maximum_length', { maximum });
  const errors: FormError[] = [];
  if (url.length > rules.maximumUrl)
    errors.push({ field: 'url', message: sentence('The URL', tooLong(rules.maximumUrl)) });
  if ([...description].length > rules.maximumDescription) {
    const message = sentence('The description', tooLong(rules.maximumDescription));
    errors.push({ field: 'description', message });
  }
  if (typesOf(form).some((type) => !rules.types.includes(type)))
    errors.push({ field: typesField, message: 'Choose from the events in the list.' });
  return errors;
}

/** The fields that several users can change. */
export const mergedFields: readonly MergedField<EndpointForm>[] = [
  { member: 'url', label: 'URL' },
  { member: 'description', label: 'Description' },
  {
    member: 'event_types',
    label: 'Events',
    id: typesField,
    show: (form) => typesOf(form).join(', ') || 'all',
  },
];
