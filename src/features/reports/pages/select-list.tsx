import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** An ordered list of values, each chosen in a field of its own. Empty fields are skipped. */
export function SelectList({
  legend,
  hint,
  label,
  className,
  fieldId,
  values,
  choices,
  maximum,
}: {
  legend: string;
  hint: string;
  /** Label of a field, before its position. */
  label: string;
  className?: string;
  /** `id` and name of the field at a position, from 1. */
  fieldId: (position: number) => string;
  values: readonly string[];
  choices: readonly Choice[];
  maximum: number;
}) {
  const hintId = `${fieldId(1)}-hint`;
  const count = Math.max(maximum, values.length);
  return (
    <fieldset aria-describedby={hintId} {...(className !== undefined && { class: className })}>
      <legend>{legend}</legend>
      <p class="hint" id={hintId}>
        {hint}
      </p>
      <div class="select-list">
        {Array.from({ length: count }, (_, index) => (
          <SelectField
            key={index}
            id={fieldId(index + 1)}
            label={`${label} ${index + 1}`}
            value={values[index] ?? ''}
            choices={choices}
            empty="–"
          />
        ))}
      </div>
    </fieldset>
  );
}

/** A field for one of several values. A value that is none of them stays in the form. */
export function SelectField({
  id,
  label,
  value,
  choices,
  empty,
}: {
  id: string;
  label: string;
  value: string;
  choices: readonly Choice[];
  /** Text of the choice without a value; absent: there is none. */
  empty?: string;
}) {
  const unknown = value !== '' && choices.every((choice) => choice.value !== value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <FieldError field={id} />
      <select id={id} name={id} {...useDescription(id)}>
        {empty !== undefined && <option value="">{empty}</option>}
        {unknown && (
          <option value={value} selected>
            {value}
          </option>
        )}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
