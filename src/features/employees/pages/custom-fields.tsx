import type { ComponentChildren } from 'preact';
import { isDateText } from '../../../platform/contract/outside-text.js';
import { FieldError, TextField, useDescription } from '../../../platform/pages/form-parts.js';
import type { MergedField } from '../../../platform/pages/merge.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { booleanLabel, booleanTexts, chosenIn } from './custom-form.js';
import type { EmployeeForm } from './employee-form.js';
import { noPerson, PersonField, type PersonView } from './person-field.js';

interface FieldProps {
  readonly attribute: CustomAttribute;
  /** The value in the form. */
  readonly value: string;
}

interface CustomFieldProps extends FieldProps {
  /** How a field for an employee shows its value; absent: empty. */
  readonly person: PersonView | undefined;
}

/** The field of a custom attribute. */
export function CustomField({ person = noPerson, ...props }: CustomFieldProps) {
  switch (props.attribute.type) {
    case 'long_text':
      return <LongTextField {...props} />;
    case 'boolean':
    case 'choice':
      return <SelectField {...props} />;
    case 'choices':
      return <ChoicesField {...props} />;
    case 'employee':
      return <EmployeeField attribute={props.attribute} person={person} />;
    default:
      return <LineField {...props} />;
  }
}

/** What the form shows of custom attributes when two users have changed them differently. */
export function mergedCustomFields(attributes: readonly CustomAttribute[]): MergedField<EmployeeForm>[] {
  return attributes.map((attribute) => {
    const { name, label } = attribute;
    return { member: name, label, show: (form) => shownText(attribute, form[name] ?? '') };
  });
}

function shownText({ type }: CustomAttribute, value: string): ComponentChildren {
  if (type === 'boolean') return booleanLabel(value);
  if (type === 'choices') return chosenIn(value).join(', ');
  return type === 'long_text' ? <span class="lines">{value}</span> : value;
}

function labelFor({ label, required }: CustomAttribute): string {
  return required ? label : `${label} (optional)`;
}

function hintIdOf({ name, description }: CustomAttribute): string | undefined {
  return description === null ? undefined : `${name}-hint`;
}

function Hint({ attribute }: { attribute: CustomAttribute }) {
  if (attribute.description === null) return null;
  return (
    <p class="hint" id={hintIdOf(attribute)}>
      {attribute.description}
    </p>
  );
}

/** A text, a number or a date. */
function LineField({ attribute, value }: FieldProps) {
  const { name, type, description, required } = attribute;
  // Browsers show no value in a date field that is not a date.
  const isDate = type === 'date' && (value === '' || isDateText(value));
  return (
    <TextField
      id={name}
      label={labelFor(attribute)}
      hint={description ?? undefined}
      type={isDate ? 'date' : 'text'}
      value={value}
      autocomplete="off"
      required={required}
      {...(type === 'number' && { inputMode: 'decimal' as const })}
    />
  );
}

function EmployeeField({ attribute, person }: { attribute: CustomAttribute; person: PersonView }) {
  const { name, label, description, required } = attribute;
  return (
    <PersonField
      field={name}
      person={person}
      label={labelFor(attribute)}
      hint={description ?? undefined}
      question={`${label}: who is it?`}
      required={required}
    />
  );
}

/** A label, the description and the error of a field. */
function LabelledField({ attribute, children }: { attribute: CustomAttribute; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={attribute.name}>{labelFor(attribute)}</label>
      <Hint attribute={attribute} />
      <FieldError field={attribute.name} />
      {children}
    </div>
  );
}

function LongTextField({ attribute, value }: FieldProps) {
  const { name, required } = attribute;
  return (
    <LabelledField attribute={attribute}>
      <textarea
        id={name}
        name={name}
        rows={Math.min(Math.max(value.split('\n').length + 1, 3), 12)}
        autocomplete="off"
        required={required}
        {...useDescription(name, hintIdOf(attribute))}
      >
        {value}
      </textarea>
    </LabelledField>
  );
}

/** One of several values, or none. */
function SelectField({ attribute, value }: FieldProps) {
  const { name, type, choices, required } = attribute;
  const isBoolean = type === 'boolean';
  const known = isBoolean ? booleanTexts : choices;
  const options = new Set(['', ...known, value]);
  return (
    <LabelledField attribute={attribute}>
      <select id={name} name={name} required={required} {...useDescription(name, hintIdOf(attribute))}>
        {[...options].map((option) => (
          <option key={option} value={option} selected={option === value}>
            {isBoolean ? booleanLabel(option) : choiceLabel(option, choices)}
          </option>
        ))}
      </select>
    </LabelledField>
  );
}

/** A choice that an employee has can have been removed. */
function choiceLabel(choice: string, choices: readonly string[]): string {
  return choice === '' || choices.includes(choice) ? choice : `${choice} (no longer a choice)`;
}

/** Any number of values. */
function ChoicesField({ attribute, value }: FieldProps) {
  const { name, choices } = attribute;
  const chosen = chosenIn(value);
  return (
    <fieldset id={name} tabIndex={-1} {...useDescription(name, hintIdOf(attribute))}>
      <legend>{labelFor(attribute)}</legend>
      <Hint attribute={attribute} />
      <FieldError field={name} />
      {[...new Set([...choices, ...chosen])].map((choice) => (
        <label key={choice} class="choice">
          <input type="checkbox" name={name} value={choice} checked={chosen.includes(choice)} />
          <span>{choiceLabel(choice, choices)}</span>
        </label>
      ))}
    </fieldset>
  );
}
