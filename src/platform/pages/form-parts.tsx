import type { ComponentChildren } from 'preact';

/** An error of a form, and the field that it belongs to. */
export interface FormError {
  /** `id` of the field. */
  readonly field: string;
  readonly message: string;
}

/** `id` of the error message of a field. */
function errorId(field: string): string {
  return `${field}-error`;
}

/** ARIA attributes that link a field with its hint and its error message. */
export function describedBy(field: string, { error, hint }: { error: boolean; hint?: string | undefined }) {
  const ids = [...(hint === undefined ? [] : [hint]), ...(error ? [errorId(field)] : [])];
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(error && { 'aria-invalid': true }),
  } as const;
}

/** Error message of a field. */
export function FieldError({ field, message }: { field: string; message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p id={errorId(field)} class="field-error">
      {message}
    </p>
  );
}

/** All errors of a form, with a link to each field. It has the focus when the page loads. */
export function ErrorSummary({ errors }: { errors: readonly FormError[] }) {
  if (errors.length === 0) return null;
  return (
    <div class="error-summary" role="alert" aria-labelledby="error-summary-title" tabIndex={-1} autofocus>
      <h2 id="error-summary-title">There is a problem</h2>
      <ul>
        {errors.map(({ field, message }) => (
          <li key={field}>
            <a href={`#${field}`}>{message}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** List of names and values in two columns. */
export function DescriptionList({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function DescriptionItem({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

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
