import { maximumAttributeLabel } from '../../../platform/accounts/name-rules.js';
import { CheckboxField } from '../../../platform/pages/checkbox-field.js';
import { type Fields, filledLines } from '../../../platform/pages/fields.js';
import {
  FieldError,
  Form,
  type FormError,
  TextField,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import type { MergedField } from '../../../platform/pages/merge.js';
import {
  type AttributeError,
  hasChoices,
  maximumDescription,
  maximumKey,
  type NewAttribute,
} from '../custom-attribute-rules.js';
import { type CustomAttribute, customTypeLabels, customTypes } from '../custom-attributes.js';
import { formatCustomValue } from '../custom-values.js';

/** The submitted form of a custom attribute, valid or not. */
export interface AttributeForm extends NewAttribute {
  readonly description: string;
}

export const emptyAttributeForm: AttributeForm = {
  ...{ label: '', key: '', type: 'text', description: '', choices: [] },
  ...{ required: false, sensitive: false },
};

/** `id` of each field. */
export const attributeFieldIds = {
  label: 'label',
  key: 'key',
  type: 'type_text',
  description: 'description',
  choices: 'choices',
  required: 'required',
  sensitive: 'sensitive',
} as const;

/** Reads the form of a new attribute. */
export function readAttributeForm(form: Fields): AttributeForm {
  return {
    label: form.text('label'),
    key: form.text('key'),
    type: form.text('type'),
    description: form.text('description'),
    choices: form.list('choices').flatMap(filledLines),
    required: form.text('required') !== '',
    sensitive: form.text('sensitive') !== '',
  };
}

/** The form with the values of an attribute. */
export function storedAttributeForm({
  label,
  key,
  type,
  description,
  choices,
  required,
  sensitive,
}: CustomAttribute): AttributeForm {
  return { label, key, type, description: description ?? '', choices, required, sensitive };
}

/** Errors of an attribute at the fields of its form. */
export function attributeFormErrors(errors: readonly AttributeError[]): FormError[] {
  return errors.map(({ member, message }) => ({ field: attributeFieldIds[member], message }));
}

/** The settings that several users can change. */
export const mergedAttributeFields: readonly MergedField<AttributeForm>[] = [
  { member: 'label', label: 'Label' },
  { member: 'description', label: 'Description' },
  { member: 'choices', label: 'Choices', show: ({ choices }) => formatCustomValue(choices) },
  { member: 'required', label: 'Required', show: ({ required }) => formatCustomValue(required) },
  { member: 'sensitive', label: 'Sensitive', show: ({ sensitive }) => formatCustomValue(sensitive) },
];

/** Form that adds or changes a custom attribute. */
export function AttributeFields({
  action,
  back,
  button,
  form,
  isNew = false,
}: {
  /** Default: the path of the page. */
  action?: string;
  back: string;
  button: string;
  form: AttributeForm;
  /** Whether the key and the type can be chosen. */
  isNew?: boolean;
}) {
  return (
    <Form action={action} button={button} cancel={back}>
      <TextField
        id={attributeFieldIds.label}
        label="Label"
        hint="Shown on pages, such as Cost center."
        value={form.label}
        autocomplete="off"
        maxLength={maximumAttributeLabel}
      />
      {isNew && (
        <TextField
          id={attributeFieldIds.key}
          label="Key (optional)"
          hint="Name of the attribute in the API, such as cost_center. Without a key, it is made from the label. It cannot be changed later."
          value={form.key}
          autocomplete="off"
          maxLength={maximumKey}
          required={false}
        />
      )}
      {isNew && <TypeField chosen={form.type} />}
      <TextField
        id={attributeFieldIds.description}
        label="Description (optional)"
        hint="Shown below the field in forms."
        value={form.description}
        autocomplete="off"
        maxLength={maximumDescription}
        required={false}
      />
      {(isNew || hasChoices(form.type)) && <ChoicesField choices={form.choices} isNew={isNew} />}
      <CheckboxField
        id={attributeFieldIds.required}
        title="Required"
        label="Every employee must have a value"
        checked={form.required}
      >
        Applies when an employee is added, edited or imported. Employees without a value stay as they are
        until then.
      </CheckboxField>
      <CheckboxField
        id={attributeFieldIds.sensitive}
        title="Sensitive"
        label="Only owners and administrators see the values"
        checked={form.sensitive}
      >
        Applications that you choose it for can read the values too.
      </CheckboxField>
    </Form>
  );
}

function TypeField({ chosen }: { chosen: string }) {
  return (
    <fieldset {...useDescription(attributeFieldIds.type, 'type-hint')}>
      <legend>Type</legend>
      <p class="hint" id="type-hint">
        The type cannot be changed later.
      </p>
      <FieldError field={attributeFieldIds.type} />
      {customTypes.map((type) => (
        <label key={type} class="choice">
          <input type="radio" id={`type_${type}`} name="type" value={type} checked={type === chosen} />
          <span>{customTypeLabels[type]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function ChoicesField({ choices, isNew }: { choices: readonly string[]; isNew: boolean }) {
  const id = attributeFieldIds.choices;
  const hint = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>Choices</label>
      <p class="hint" id={hint}>
        One on each line, in the order in which forms show them.{' '}
        {isNew
          ? `Only for the types ${customTypeLabels.choice} and ${customTypeLabels.choices}.`
          : 'Employees keep a choice that you remove until their value is changed.'}
      </p>
      <FieldError field={id} />
      <textarea
        id={id}
        name={id}
        rows={Math.min(Math.max(choices.length + 1, 3), 21)}
        autocomplete="off"
        {...useDescription(id, hint)}
      >
        {choices.join('\n')}
      </textarea>
    </div>
  );
}
