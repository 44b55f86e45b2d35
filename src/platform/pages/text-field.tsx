import { describedBy, FieldError } from './form-parts.js';

interface TextFieldProps {
  /** `id` and name of the field. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly error: string | undefined;
  readonly type?: 'text' | 'email' | 'password' | 'tel' | 'url' | 'date';
  readonly value?: string;
  /** Purpose of the field, as `autocomplete` names it. */
  readonly autocomplete: string;
  readonly maxLength?: number;
  readonly required?: boolean;
  /** Keyboard that phones show; that of the type by default. */
  readonly inputMode?: 'numeric';
  /** `id` of the `datalist` with suggestions. */
  readonly list?: string;
}

/** A field of one line with its label, hint and error message. */
export function TextField(props: TextFieldProps) {
  const {
    id,
    label,
    hint,
    error,
    type = 'text',
    value = '',
    autocomplete,
    maxLength,
    required = true,
    inputMode,
    list,
  } = props;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError field={id} message={error} />
      <input
        // The types of Preact have an element for each type of input.
        type={type as 'text'}
        id={id}
        name={id}
        value={value}
        autocomplete={autocomplete}
        required={required}
        {...(inputMode !== undefined && { inputMode })}
        {...(maxLength !== undefined && { maxLength })}
        {...(list !== undefined && { list })}
        {...describedBy(id, { error: error !== undefined, hint: hintId })}
      />
    </div>
  );
}

/** A field for a new password, with its rule. */
export function NewPasswordField({
  error,
  label = 'Password',
}: {
  error: string | undefined;
  label?: string;
}) {
  return (
    <TextField
      id="new_password"
      label={label}
      hint="At least 12 characters. Several words are easy to remember and hard to guess."
      type="password"
      autocomplete="new-password"
      maxLength={1024}
      error={error}
    />
  );
}
